"""Sessions as they run: NAME.in is piped into logdump, NAME.out is what comes back.

``python -m tests.transcripts.update`` (or ``pytest --update-golden``) writes the .out files again; read the difference.
"""
