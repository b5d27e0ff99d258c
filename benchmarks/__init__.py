"""The speed of bulk work, compared with other programs in the same run; no test passes or fails by it."""

from __future__ import annotations
