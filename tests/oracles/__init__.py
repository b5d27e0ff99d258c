"""Independent makers of what the code tells: mostly those that it had before."""
