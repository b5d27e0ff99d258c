"""What is told of whole trails, as rows: each analysis is a module here and a line in ``table``."""
