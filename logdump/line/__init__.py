"""Line mode: from a pipe, from a script, at a terminal."""
