"""Tables kept equal to their source: changes applied to databases and lakes (docs/pipeline.md)."""
