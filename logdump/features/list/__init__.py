"""LIST and FOLLOW: records as one line each, and new records as they are written."""
