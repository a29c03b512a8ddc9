"""One module a format. Each has a reader: `takes(row)` knows its own lines, `replies(row)` says what is in one."""
