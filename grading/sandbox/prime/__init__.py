"""Rented machines of Prime: one for each worker and architecture, kept from answer to answer and taken over after a restart."""
