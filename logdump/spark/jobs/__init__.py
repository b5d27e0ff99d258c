"""Spark at the prompt: the session, and jobs for COUNT, SAVE and EXPORT."""
