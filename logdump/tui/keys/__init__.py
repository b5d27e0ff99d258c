"""The table of keys, the letters of marks, and the keymap and choices of the user."""
