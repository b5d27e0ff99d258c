"""DIFF over Spark: transactions are found and joined by tasks, and compared where they differ."""
