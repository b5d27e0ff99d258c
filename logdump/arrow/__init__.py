"""Records and rows of tables as Arrow batches. Knows no Spark."""
