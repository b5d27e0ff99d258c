"""The data source: options, which slices of which files, and what a task reads of them."""
