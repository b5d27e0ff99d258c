"""EXPLAIN: verdicts about lag, restarts and DDL, from the results of the other analyses."""
