"""Kernels that make arrays and text of the values of columns."""
