"""Bundles: archives and folders of answers, in any of several formats, become rows.

archives.py unpacks within limits, runs.py finds a run's own configuration, registry.py finds the format of a line among those
of formats/, and parser.py goes through everything line by line, so that memory does not grow with the bundle. A row that is no
answer is skipped with a reason, and never stops the others. Uploaded files are hostile until proven otherwise. Nothing here
uses Django: the command-line client and the comparison of architectures read the same files.
"""
