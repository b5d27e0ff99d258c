"""REPORT: one page about a trail, for a ticket."""
