"""Threads that read files, and their messages to the screen."""
