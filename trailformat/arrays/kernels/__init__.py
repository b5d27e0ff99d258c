"""Kernels that make arrays of the values of a column; compiled and loaded like those of the scan."""
