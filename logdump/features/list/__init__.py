"""LIST and FOLLOW: records as one short line each, and as they come."""
