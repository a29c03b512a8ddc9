"""`manage.py arch_compare` and scripts/arch_compare.py: answers of runs, graded on both architectures and compared.

runs.py reads bundles and run folders from disk, grading.comparison grades every subject and keeps a journal, table.py prints,
cli.py holds the options. Needs no database and no configured Django, so that it runs on a machine that only grades.
"""
