"""REPORT: what is known of a trail on one page, for a ticket."""
