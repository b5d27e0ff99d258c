"""The bundle: a folder with the program and a Python of its own, for hosts with nothing but glibc 2.28."""
