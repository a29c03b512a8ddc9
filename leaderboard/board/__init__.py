"""The read side: from results and standings to the numbers that tables, figures, exports and reports show."""
