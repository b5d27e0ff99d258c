"""SAFE: where a Replicat can be restarted."""
