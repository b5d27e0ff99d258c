"""COMPRESS: estimated savings by compression on the network, and by image options in the trail."""
