"""WATCH: follows trails, and has their state as metrics for Prometheus."""
