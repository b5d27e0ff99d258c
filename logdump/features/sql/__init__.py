"""SQL over trails: in this process by DuckDB, or as a job of Spark; and a trail as a table for other programs."""
