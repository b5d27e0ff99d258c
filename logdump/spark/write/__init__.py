"""Trails written by tasks: SAVE, ``df.write``, and the commit that makes them visible."""
