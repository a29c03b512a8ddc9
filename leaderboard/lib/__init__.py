"""What knows nothing of kernels and models: text, numbers, processes, faults of the host."""
