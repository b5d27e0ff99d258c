"""Line mode: input from a pipe, from a script, or at a terminal."""
