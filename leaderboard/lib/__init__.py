"""Helpers that know nothing of kernels and models: text, numbers, processes, faults of the host.

Nothing here imports another part of the site, so everything may import it. text.py and faults.py are part of the wheel, without
Django.
"""
