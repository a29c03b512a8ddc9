"""Where untrusted code is compiled and run.

base.py says what a sandbox is: a place with gcc, binutils and a shell that takes files and runs commands, and from which
nothing of ours can be reached. registry.py lists them by name: this host (local.py), containers (docker/), rented machines
(prime/), and arm64 emulated on amd64 (emulated.py). They do not know each other. A sandbox is opened once and kept from answer
to answer; a fault gives it up.
"""
