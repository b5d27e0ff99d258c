"""The command language: from a line of text to commands and their arguments."""
