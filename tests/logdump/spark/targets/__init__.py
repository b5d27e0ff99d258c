"""Changes applied to targets."""
