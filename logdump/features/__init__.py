"""What people do with trails: a package for each feature, which holds its command, its facts, its text and its JSON."""
