"""DOCTOR: the state of a trail on one page, from the results of other commands."""
