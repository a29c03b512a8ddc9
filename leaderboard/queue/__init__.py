"""What the queue looks like from outside: counts, reasons, progress.

Reads only; writes go through services/queueing.py. The page, the API, the command and the admin show the same numbers, because
all of them come from status.py and bundle_progress.py.
"""
