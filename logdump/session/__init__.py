"""What is open, where it stands, what is switched on, and the events that commands yield."""
