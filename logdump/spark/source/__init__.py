"""The data source: options, the slices of files to be read, and their reading by tasks."""
