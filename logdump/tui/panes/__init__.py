"""The parts of the screen that are drawn."""
