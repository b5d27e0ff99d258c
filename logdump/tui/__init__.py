"""The full-screen view: panes that show what a session of line mode holds, and keys that type its commands."""
