"""From a command line to a command and its arguments."""
