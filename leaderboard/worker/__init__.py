"""The processes that work: the supervisor, the leases by which workers hold rows, the grader, the first steps of a start."""
