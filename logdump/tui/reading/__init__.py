"""Threads that touch files, and what they bring to the screen."""
