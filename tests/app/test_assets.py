"""The scripts of others: pinned alike everywhere, from here first, from the CDN only when they must be."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

import pytest

from app.assets import FALLBACK_ORIGIN, SCRIPTS, Script, directory, fallback_origin, missing_scripts, script_tags

ROOT = Path(__file__).parents[2]


def complete(static: Path) -> Path:
    (static / "lib").mkdir()
    for script in SCRIPTS:
        (static / script.name).write_text("")
    return static


def test_a_complete_machine_names_no_other_host(tmp_path: Path) -> None:
    tags = script_tags(complete(tmp_path))
    assert [tag.src for tag in tags] == [f"/static/{script.name}" for script in SCRIPTS]
    assert fallback_origin(tmp_path) is None


def test_a_missing_script_comes_from_the_cdn_with_its_hash(tmp_path: Path) -> None:
    (complete(tmp_path) / SCRIPTS[1].name).unlink()
    local, foreign = script_tags(tmp_path)
    assert local.integrity is None
    assert (foreign.src, foreign.integrity) == (SCRIPTS[1].fallback_url, SCRIPTS[1].integrity)
    assert foreign.src.startswith(f"{FALLBACK_ORIGIN}/")
    assert fallback_origin(tmp_path) == FALLBACK_ORIGIN


def test_offline_no_other_host_is_named(tmp_path: Path) -> None:
    assert script_tags(tmp_path, offline=True) == []
    assert fallback_origin(tmp_path, offline=True) is None


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.package)
def test_a_script_is_pinned_alike_for_npm_and_for_the_page(script: Script) -> None:
    assert json.loads((ROOT / "package.json").read_text())["dependencies"][script.package] == script.version
    locked = json.loads((ROOT / "package-lock.json").read_text())["packages"][f"node_modules/{script.package}"]
    assert locked["version"] == script.version
    assert "resolved" not in locked


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.package)
def test_an_installed_script_is_the_one_that_was_pinned(script: Script) -> None:
    static = directory("static")
    if script not in missing_scripts(static):
        digest = hashlib.sha384((static / script.name).read_bytes()).digest()
        assert script.integrity == f"sha384-{base64.b64encode(digest).decode()}"


@pytest.mark.parametrize("name", ["templates", "static", "sample_tools"])
def test_the_files_of_the_page_are_found_in_the_checkout(name: str) -> None:
    assert directory(name) == ROOT / name
