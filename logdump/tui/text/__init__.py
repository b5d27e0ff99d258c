"""Lines of styled text for panes, and the colours and characters that they are drawn with."""
