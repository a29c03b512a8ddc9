"""The same code on both architectures: what is compared (subjects), what is graded already (journal), the gradings (gradings),
the ratios and their intervals (ratios), and all of it as one summary (summary). No bundles, no files of runs: those are above.
"""
