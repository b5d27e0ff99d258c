"""Verbs of the shell, ``logdump VERB FILE… [options]``: each a way to write commands, which ``--explain`` prints."""
