"""Bundles: archives and folders of answers, in any of several formats, become rows.

archives.py unpacks (safely), runs.py finds a run's own configuration, formats/ has a module per format, registry.py lists them,
reading.py goes through everything line by line. Nothing here touches the database.
"""
