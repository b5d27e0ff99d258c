"""The rows of a batch with the bytes they stand for: fields, images, definitions."""
