"""The features: a package for each, with its command, its model, its text and its JSON."""
