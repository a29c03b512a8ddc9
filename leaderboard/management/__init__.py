"""Commands of `manage.py`. A command parses options, calls a service or an export, and prints; it decides nothing."""
