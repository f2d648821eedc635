"""The document of `check` as lines for people, in the form that editors and terminals make links of. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from rich.text import Text

from app.cli.terminal import harmless

_COLOURS: Mapping[str, str] = {"error": "red", "warning": "yellow", "information": "cyan"}


def findings_text(document: Mapping[str, Any], directory: PurePath) -> Text:
    """Every finding with its place and the way out, then how many there are. Paths below `directory` are shortened."""
    text = Text()
    for finding, tools in _of_all_tools(document["findings"]):
        text.append_text(_finding(finding, tools, directory))
    return text.append_text(harmless(f"{_count(document['findings'])}\n"))


def _of_all_tools(findings: list[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], list[str]]]:
    """Each thing once: a resolver of several tools is the same in all of them."""
    tools: dict[str, list[str]] = {}
    first: dict[str, Mapping[str, Any]] = {}
    for finding in findings:
        same = repr({name: value for name, value in finding.items() if name != "tool"})
        first.setdefault(same, finding)
        tools.setdefault(same, []).extend(filter(None, [finding["tool"]]))
    return ((first[same], tools[same]) for same in first)


def _finding(finding: Mapping[str, Any], tools: list[str], directory: PurePath) -> Text:
    severity = finding["severity"]
    code = harmless(f"{finding['code']} {severity}: ")
    code.stylize(_COLOURS[severity])
    text = harmless(_where(finding, directory)) + code + harmless(f"{finding['message']}\n")
    if finding["hint"]:
        text += harmless(f"    {finding['hint']}\n")
    for remark in finding["related"]:
        text += harmless(f"    {_where(remark, directory)}{remark['message']}\n")
    if tools:
        text += harmless(f"    {'Tool' if len(tools) == 1 else 'Tools'}: {', '.join(dict.fromkeys(tools))}\n")
    return text


def _where(place: Mapping[str, Any], directory: PurePath) -> str:
    if not place["file"]:
        return ""
    path = PurePath(place["file"])
    file = path.relative_to(directory) if path.is_relative_to(directory) else path
    return ":".join(str(part) for part in (file, place["line"], place["column"]) if part is not None) + ": "


def _count(findings: list[Mapping[str, Any]]) -> str:
    severities = [finding["severity"] for finding, _ in _of_all_tools(findings)]
    errors, warnings = severities.count("error"), severities.count("warning")
    if not errors + warnings:
        return "No errors, no warnings."
    return f"{errors} {'error' if errors == 1 else 'errors'}, {warnings} {'warning' if warnings == 1 else 'warnings'}."
