"""Rented machines of Prime: one per worker and architecture, kept from answer to answer and taken over after a restart.

client.py gives every call a deadline and turns failures into faults (errors.py); slots.py numbers the workers of an
installation; places.py takes over, makes or gives up the machine of a slot; sources.py brings the harness there; script.py is
the command that grades; sweep.py ends machines that nobody uses. A service that misbehaves is never a verdict.
"""
