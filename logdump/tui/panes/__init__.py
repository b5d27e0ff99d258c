"""The panes and lines of the screen."""
