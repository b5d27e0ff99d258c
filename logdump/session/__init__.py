"""The state of a session: the open trail, the position, the switches; and the events that commands yield."""
