"""SAFE: positions at which a Replicat can be restarted."""
