"""Tables as files: CSV, JSON, LaTeX, Markdown and Parquet.

columns.py lists the columns of every table with their meaning, contents.py gives the rows, formats.py and parquet.py write them
while the database is read, so that a large table needs little memory. dictionary.py writes docs/exports.md from the same lists.
The record, the folder that reproduces a grading and the snapshot of the public site are made here, too.
"""
