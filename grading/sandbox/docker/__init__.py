"""Containers of a Docker daemon, here or elsewhere: one per worker, kept from answer to answer.

engine.py talks to the daemon, each call with a deadline; containers.py finds, makes and sweeps containers by the worker's slot;
sandbox.py is the sandbox made of them; settings.py reads the environment.
"""
