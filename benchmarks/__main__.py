"""`make bench`: runs every benchmark of this package and prints one table; names after the command pick some."""

from __future__ import annotations

import importlib
import pkgutil
import platform
import sys

from rich.console import Console
from rich.table import Table

import benchmarks
from benchmarks.rows import Row

APART = {"__main__", "load", "rows", "server", "soak"}


def main(names: list[str]) -> None:
    table = Table("what", "measured", "goal", "rival", title=f"Python {platform.python_version()}")
    for name in names or sorted({found.name for found in pkgutil.iter_modules(benchmarks.__path__)} - APART):
        rows: list[Row] = importlib.import_module(f"benchmarks.{name}").run()
        for row in rows:
            table.add_row(*row)
        table.add_section()
    Console().print(table)


main(sys.argv[1:])
