"""Layouts of the definitions of databases, tables and columns, in trails and in definitions files."""
