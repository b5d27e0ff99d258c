"""The files of a trail: reading, writing, and the definitions in force at each RBA."""
