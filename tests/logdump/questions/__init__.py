"""One question about the records of a trail, put to everything that answers it, and held against the bytes."""
