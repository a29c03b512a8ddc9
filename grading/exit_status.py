"""Exit statuses of the commands that grade; 1 and 2 are Python's and argparse's own."""

FAULT = 3  # something was not graded, and that is our fault
INTERRUPTED = 130  # as shells have it for SIGINT
BROKEN_PIPE = 141  # and for SIGPIPE: who read the output has gone
