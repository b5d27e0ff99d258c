"""A file of a trail, and the files of one: reading, writing, and which definition is in force where."""
