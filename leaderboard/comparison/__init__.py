"""`manage.py arch_compare` and scripts/arch_compare.py: runs from disk, gradings by grading.comparison, a table and a JSON file.
Needs no database and no configured Django.
"""
