"""The kernels: specification, references, tuned code and checks. Standard library only; nothing of grading or Django."""
