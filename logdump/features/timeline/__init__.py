"""A trail over time: the lags of its heartbeats, or else its records in each interval."""
