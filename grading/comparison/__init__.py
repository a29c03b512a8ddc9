"""The same code on both architectures: what the site's comparison and `arch_compare` grade and compute.

subjects.py says what is compared, journal.py keeps every grading as it comes, gradings.py grades what is missing, ratios.py
computes ratios with their intervals, agreement.py says where a subject passes, summary.py puts all of it together. Nothing here
reads bundles or run folders: that is above.
"""
