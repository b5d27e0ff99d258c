"""The full-screen view, driven by keys without a terminal."""
