"""Kernels that turn the values of columns into arrays and text."""
