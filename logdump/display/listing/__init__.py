"""The lines of records: key, what changed, note; made by columns, of many records or of one."""
