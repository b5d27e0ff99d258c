"""Records and rows of tables as Arrow batches, independent of Spark."""
