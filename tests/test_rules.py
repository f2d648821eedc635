"""Each rule and its page: the example bites, the way out does not. And what is found in the samples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.documents import NOT_LOADED
from resolver_runtime.rules import RULES
from tests.checking import checked, checked_file

ROOT = Path(__file__).parents[1]
PAGES = {path.stem: path.read_text() for path in sorted((ROOT / "docs" / "rules").glob("RP*.md"))}
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WITH_CODE = {code: BLOCK.findall(text) for code, text in PAGES.items() if code != "RP000"}
SEVERITIES = {
    "RP000": "information",
    NOT_LOADED: "error",
    **{rule.code: rule.severity for rule in RULES},
}
TITLES = {"RP000": "A rule that could not be applied", NOT_LOADED: "A module that does not load"} | {
    rule.code: rule.title for rule in RULES
}


def test_every_code_has_its_page() -> None:
    assert list(PAGES) == sorted(TITLES)


@pytest.mark.parametrize("code", PAGES)
def test_a_page_says_what_it_is_why_it_bites_and_the_way_out(code: str) -> None:
    lines = PAGES[code].splitlines()
    assert lines[0] == f"# {code}: {TITLES[code]}"
    assert lines[2].startswith(f"*{SEVERITIES[code].capitalize()}.* ")
    headings = [line for line in lines if line.startswith("## ")]
    example = ["## Example"] if code in WITH_CODE else []
    assert headings == ["## Why it bites", *example, "## The way out"]


def test_the_list_of_rules_is_that_of_the_pages() -> None:
    listed = (ROOT / "docs" / "rules" / "README.md").read_text()
    rows = [line for line in listed.splitlines() if line.startswith("| [")]
    assert rows == [f"| [{code}]({code}.md) | {SEVERITIES[code]} | {TITLES[code]} |" for code in PAGES]


@pytest.mark.parametrize("code", WITH_CODE)
def test_the_example_of_a_page_bites_and_its_way_out_does_not(code: str, tmp_path: Path) -> None:
    example, way_out = WITH_CODE[code]
    assert {one["code"] for one in checked(tmp_path, example) if one["severity"] != "information"} <= {code}
    assert code in {one["code"] for one in checked(tmp_path, example)}
    assert [one for one in checked(tmp_path, way_out) if one["severity"] != "information" or one["code"] == code] == []


WRONG_ON_PURPOSE = {"wrong_cycle": ["RP001"], "wrong_parameter": ["RP002"]}


@pytest.mark.parametrize("path", sorted((ROOT / "sample_tools").glob("*.py")), ids=lambda path: path.stem)
def test_a_sample_is_as_clean_as_it_is_meant_to_be(path: Path) -> None:
    found = [one["code"] for one in checked_file(path) if one["severity"] != "information"]
    assert found == WRONG_ON_PURPOSE.get(path.stem, [])
