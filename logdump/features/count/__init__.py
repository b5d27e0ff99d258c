"""COUNT: what is in a trail, in numbers."""
