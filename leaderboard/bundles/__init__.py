"""Bundles: archives and folders of answers, in any of several formats, become rows.

archives.py unpacks within limits, runs.py finds a run's own configuration, formats/ has one module per format, registry.py lists
them, and parser.py goes through everything line by line, so that memory does not grow with the bundle. A row that is no
answer is skipped with a reason, and never stops the others. Uploaded files are hostile until proven otherwise. Nothing here
uses Django: the command-line client and the comparison of architectures read the same files.
"""
