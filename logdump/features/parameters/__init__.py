"""PARAMS: the parameter files of Extract and Replicat."""
