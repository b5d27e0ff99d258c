"""Heartbeats: the rows of GoldenGate's heartbeat tables in a trail, and the lag of every hop."""
