"""The 13 kernels: specification, references, tuned code and checks. Standard library only; knows nothing of grading or of Django."""
