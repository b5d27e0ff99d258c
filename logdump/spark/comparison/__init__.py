"""DIFF over Spark: tasks find and join transactions, and compare those that differ."""
