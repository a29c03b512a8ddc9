"""What the queue looks like from outside: counts, reasons, progress. Reads only; writes go through services/queueing.py."""
