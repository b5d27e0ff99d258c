"""Places in a trail that are found without reading all of it: a time, a CSN, the extent of a transaction."""
