"""REPAIR: a sound copy of a damaged trail."""
