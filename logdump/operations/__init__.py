"""The bulk work behind the commands: counting, saving, exporting. Knows no word of a command line."""
