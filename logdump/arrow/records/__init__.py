"""Records as Arrow batches: their columns, each built from rows of a batch when it is asked for."""
