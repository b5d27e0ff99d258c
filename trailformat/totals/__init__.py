"""Totals of records, shared by COUNT, the summary of Spark and the index."""
