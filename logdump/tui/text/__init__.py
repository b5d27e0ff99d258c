"""What panes show, as lines of styled text; and the colours and characters that they are drawn with."""
