"""A source, an Extract that can be killed and a Replicat, in small: what a trail means, without the code under test.

Nothing here reads a trail: the only part of the program that is used is its writer.
"""
