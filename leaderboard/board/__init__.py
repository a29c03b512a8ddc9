"""The read side: from results and standings to the numbers that tables, figures, exports and reports show.

A selection (selection.py) says which architecture, kernels and models are meant. The standings in the database are the
sufficient statistics of each model on each kernel; summaries.py and aggregates.py make pass rates, scores, speedups, intervals
and ranks of them, and keep the values until a standing changes. Nothing here writes, and no number is computed in a view or a
template.
"""
