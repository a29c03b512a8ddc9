"""The public pages, one module per page or family of pages.

A view reads the selection from the address, asks the board for rows, and hands them to a template. A page shows public rows
only, except to whoever may see more; then it is private to them and never cached. Each chart has an address of its own that
returns its JSON.
"""
