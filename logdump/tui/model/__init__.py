"""The state of the screen, and its updates by reports of the threads."""
