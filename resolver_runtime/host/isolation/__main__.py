"""The self-test as a program: prints the open holes as a JSON list of sentences. Run by its path, and without `mcp`."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])
    package = importlib.import_module("isolation")
    print(json.dumps(importlib.import_module("isolation.probes").holes() if package.AVAILABLE else [package.ELSEWHERE]))
