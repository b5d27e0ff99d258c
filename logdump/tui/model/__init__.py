"""The state of the screen, and its changes by reports of the threads."""
