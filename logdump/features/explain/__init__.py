"""EXPLAIN: verdicts about lag, restarts and DDL, from what the other analyses tell."""
