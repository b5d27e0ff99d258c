"""CHECK: whether a file holds damage."""
