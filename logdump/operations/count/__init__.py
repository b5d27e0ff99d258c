"""What COUNT adds up, record by record, by columns and by groups."""
