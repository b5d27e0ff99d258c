"""Spark for a prompt: the session, and jobs for COUNT, SAVE and EXPORT."""
