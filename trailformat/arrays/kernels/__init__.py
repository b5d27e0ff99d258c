"""Kernels that make arrays of the values of a column; compiled into one library with those of the scan."""
