"""The level of every interval: of a grading's speedup, which is in the record, and of what pages compute from records."""

CONFIDENCE = 0.95
