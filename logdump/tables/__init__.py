"""Trails as tables: options, files, slices, and the Arrow batches made of them, without Spark."""
