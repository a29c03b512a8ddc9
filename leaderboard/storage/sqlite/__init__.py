"""Django's SQLite, for a file that only its owner may read, and that can still be read when nothing can be written."""
