"""The first lines of our processes under any interpreter: without arguments the warm parent, with a job one worker.

Run by its path. Loads our runtime by its place, and nothing else of where it stands: a foreign interpreter keeps its
own packages, and a user's names are not shadowed by ours.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def load_runtime() -> None:
    """Make `import resolver_runtime` find the package that this file belongs to."""
    sys.path[:] = [entry for entry in sys.path if entry and Path(entry).resolve() != HERE]
    place = HERE.parent
    spec = importlib.util.spec_from_file_location(
        "resolver_runtime", place / "__init__.py", submodule_search_locations=[str(place)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["resolver_runtime"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


def run(arguments: list[str]) -> None:
    """Be the warm parent, or the worker of the job that is given as JSON."""
    if not arguments:
        from resolver_runtime.host.parent import main

        main()
    else:
        from resolver_runtime.host.fresh import work

        work(json.loads(arguments[0]))


if __name__ == "__main__":
    load_runtime()
    run(sys.argv[1:])
