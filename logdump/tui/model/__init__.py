"""What is current on the screen, and how it changes with what the threads report."""
