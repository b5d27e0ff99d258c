"""What records add up to: the one way that COUNT, the summary of Spark and their tests add."""
