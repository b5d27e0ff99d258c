"""Programs that keep the documents in step with the code; ``python -m scripts.update_docs`` runs them all."""
