"""SAVE: a trail made of records of another trail, readable on its own."""
