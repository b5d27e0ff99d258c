"""Rows of tables: one per record, with the columns of its images by name, in their types."""

from __future__ import annotations
