"""Definitions of databases, tables and columns, in trails and in definitions files."""
