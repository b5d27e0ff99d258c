"""A trail made of records of another one, which stands alone."""
