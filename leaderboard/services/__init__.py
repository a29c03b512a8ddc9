"""Every write to the tables, by job. Whoever needs two of them in one step calls them in one transaction.

Locks are always taken in one order: rows of LanguageModel (by pk) first, then anything else.
"""
