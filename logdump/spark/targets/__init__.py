"""Tables that stay equal to their source: changes applied to databases and lakes. docs/pipeline.md is their page."""
