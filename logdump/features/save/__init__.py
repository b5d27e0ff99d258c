"""SAVE: writes records of a trail as another trail, which is readable on its own."""
