"""DOCTOR: the state of a trail on one page, put together from what other commands find."""
