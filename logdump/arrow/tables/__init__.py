"""The rows of tables: one record each, the columns of its images by their names, with their types."""

from __future__ import annotations
