"""Evaluation of DDL statements against parameter files, in the steps of Extract and of Replicat.

Nothing is executed.
"""
