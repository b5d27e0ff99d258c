"""What a prompt runs in Spark: the session, and jobs for COUNT, SAVE and EXPORT."""
