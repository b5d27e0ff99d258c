"""Kernels that walk over records and read parts of them."""
