"""Totals of records: the one way in which COUNT, the summary of Spark and the index add."""
