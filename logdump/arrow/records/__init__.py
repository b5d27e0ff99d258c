"""Records as Arrow batches: their columns, each built from rows of a batch on demand."""
