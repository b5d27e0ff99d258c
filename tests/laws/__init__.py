"""Laws about the repository itself: what imports what, what is documented, how large things are."""
