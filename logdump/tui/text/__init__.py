"""Lines of styled text for panes, and the colours and characters with which they are drawn."""
