#!/usr/bin/env python3
"""`manage.py arch_compare` without Django: python scripts/arch_compare.py OUT.json RUN... (--help says the rest)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from leaderboard.comparison.cli import main

if __name__ == "__main__":
    sys.exit(main())
