"""Every write to the tables, one module per job.

A service does one thing in one transaction; whoever needs two of them in one step calls them in one transaction. What can be
killed is written so that it can be repeated: updates are guarded by the state or the lease that they expect, and change no row
when that has passed on.

Locks are always taken in one order: rows of LanguageModel (by pk) first, then anything else.
"""
