"""Changes published to topics of Kafka as messages; the position is in a topic beside them (docs/publish.md)."""
