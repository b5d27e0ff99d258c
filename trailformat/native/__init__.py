"""The kernels: functions over bytes, their sources, and the library that they are compiled into."""
