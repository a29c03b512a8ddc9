"""Containers of this host or of another: one for each worker, kept from answer to answer."""
