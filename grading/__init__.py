"""From a reply to a record: extraction, compilation, judging, statistics. Without Django.

answer.py finds the C in a reply. pipeline.py has it graded: the harness (grading/harness, in C) is built once in a sandbox and
then called with one command per answer; driver.py reads what it prints. Verdicts are about the answer; whatever goes wrong on
our side is an exception (faults.py), and blame.py lists which is which. result.py defines the record, scoring.py the score,
version.py which results compare with each other. `python -m grading` is the command line.
"""
