"""``python -m logdump``."""

from __future__ import annotations

import sys

from logdump.cli import main

sys.exit(main())
