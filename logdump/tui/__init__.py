"""The full-screen view: panes that show the state of a session of line mode, and keys that enter its commands."""
