"""Verbs of the shell, ``logdump VERB FILE… [options]``: short forms of commands, which ``--explain`` prints."""
