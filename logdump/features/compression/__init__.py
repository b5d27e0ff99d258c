"""Estimates of what compression would save: of blocks on the wire, and of image options in the trail."""
