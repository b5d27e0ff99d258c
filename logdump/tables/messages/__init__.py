"""Changes as messages of a topic: Debezium's events, and those of GoldenGate's JSON formatter. It needs pyarrow."""
