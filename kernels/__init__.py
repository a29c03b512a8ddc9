"""The kernels: specification, reference, tuned code and checks, one folder per kernel.

kernel.toml describes a kernel, prompt.md is the task as models get it, reference.c is the naive baseline, tuned.c the fast one,
bench.c makes inputs and checks results. Standard library only; nothing of grading or Django.
"""
