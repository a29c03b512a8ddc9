"""Formats of answers, one module per format.

Each has a reader: `takes(row)` recognises its own lines by their fields, `replies(row)` returns the answers in one. The content
decides, not the file's name, so a bundle may mix formats.
"""
