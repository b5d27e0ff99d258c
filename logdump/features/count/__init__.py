"""COUNT: the numbers and sizes of a trail's records."""
