"""The `playground` command as it is typed: which command is meant, what is wrong usage, which exit code that is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from app import main as main_module
from app.calling import Made, Request
from app.cli import call as call_command
from app.cli import run
from app.client.settings import ClientSettings
from app.surveys import Misuse
from app.workers import ModuleSpec, Worker, Workers

SAMPLE = str(Path(__file__).parents[2] / "sample_tools" / "step1_reserve.py")


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """What `playground call` was asked for; no call is made."""
    seen: list[Request] = []

    async def make_call(request: Request, *_: Any) -> Made:
        seen.append(request)
        return Made({"tool": request.tool}, 3, ("A remark.",))

    monkeypatch.setattr(call_command, "make_call", make_call)
    return seen


def test_the_command_is_found_without_importing_the_sdk() -> None:
    code = "import sys, app.cli; sys.exit('mcp' in sys.modules or 'fastapi' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_help_lists_the_commands_without_importing_the_sdk() -> None:
    code = "import sys, app.cli; code = app.cli.run(['--help']); sys.exit(code or 'mcp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0
    assert all(name in done.stdout for name in ("serve", "graph", "check", "call"))


WRONG = [
    (["call"], "Missing argument 'MODULE'"),
    (["call", "shop.py"], "Missing argument 'TOOL'"),
    (["call", "shop.py", "order", "--engine", "other"], "--engine"),
    (["call", "shop.py", "order", "--era", "2024-11-05"], "--era"),
    (["call", "shop.py", "order", "--args", "{"], "is no JSON"),
    (["call", "shop.py", "order", "--args", "[1]"], "is no JSON object"),
    (["call", "shop.py", "order", "--args", "@nowhere.json"], "cannot be read"),
    (["call", "shop.py", "order", "--answers", "yes"], "is no JSON"),
    (["call", "shop.py", "order", "--with", "telepathy"], "no such capability"),
    (["call", "shop.py", "order", "--without", "roots,elicitation"], "elicitation: no such capability"),
    (["call", "shop.py", "order", "--header", "X-User"], "is no header"),
    (["call", "shop.py", "order", "--header", "X-User: a\nb"], "is no header"),
    (["call", "shop.py", "order", "--max-rounds", "-1"], "--max-rounds"),
    (["call", "shop.py", "order", "--timeout", "0"], "--timeout"),
    (["graph"], "Missing argument 'MODULE'"),
    (["graph", "shop.py", "--answers", "{}"], "No such option"),
    (["check"], "Missing argument 'MODULE'"),
    (["check", "shop.py", "--tool", "order"], "No such option"),
]


@pytest.mark.parametrize(("args", "text"), WRONG)
def test_wrong_usage_exits_with_64_and_says_what_is_wrong(
    args: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(args) == 64
    output = capsys.readouterr()
    assert text in output.err
    assert output.out == ""


def test_a_fault_of_ours_exits_with_70_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def make_call(*_: Any) -> Made:
        raise RuntimeError("unforeseen")

    monkeypatch.setattr(call_command, "make_call", make_call)
    assert run(["call", "shop.py", "order"]) == 70
    output = capsys.readouterr()
    assert "RuntimeError: unforeseen" in output.err
    assert "a fault of the playground" in output.err


def test_an_interrupted_call_exits_as_programs_do(monkeypatch: pytest.MonkeyPatch) -> None:
    async def make_call(*_: Any) -> Made:
        raise KeyboardInterrupt

    monkeypatch.setattr(call_command, "make_call", make_call)
    assert run(["call", "shop.py", "order"]) == 130


def test_wrong_usage_that_only_the_module_shows_exits_with_64(monkeypatch: pytest.MonkeyPatch) -> None:
    async def make_call(*_: Any) -> Made:
        raise Misuse("There is no such tool.")

    monkeypatch.setattr(call_command, "make_call", make_call)
    assert run(["call", "shop.py", "order"]) == 64


def test_the_options_of_call_shape_the_client(requests: list[Request]) -> None:
    args = [
        "--era",
        "2025-11-25",
        "--with",
        "elicitation.url,sampling.tools",
        "--without",
        "roots",
        "--without",
        "sampling",
    ]
    args += ["--header", "X-User: ana", "--header", "X-Shop:north: 1", "--max-rounds", "2"]
    run(["call", "shop.py", "order", *args])
    assert requests[0].client == ClientSettings(
        "2025-11-25",
        frozenset({"elicitation.form", "elicitation.url", "sampling.tools"}),
        2,
        {"X-User": "ana", "X-Shop": "north: 1"},
    )


def test_the_options_of_call_shape_the_call(requests: list[Request]) -> None:
    args = ["--args", '{"title": "Dune"}', "--answers", '{"confirm": {"action": "decline"}}']
    args += ["--engine", "sdk", "--timeout", "2.5", "--python", "/usr/bin/python3"]
    run(["call", "shop.py:mcp", "order", *args])
    made = requests[0]
    assert (made.tool, made.arguments, made.timeout) == ("order", {"title": "Dune"}, 2.5)
    assert made.answers == {"confirm": {"action": "decline"}}
    assert (made.spec.module, made.spec.python, made.spec.engine) == ("shop.py:mcp", "/usr/bin/python3", "sdk")


def test_without_options_the_client_is_the_default_one(requests: list[Request]) -> None:
    run(["call", "shop.py", "order"])
    made = requests[0]
    assert (made.client, made.arguments, made.answers, made.timeout) == (ClientSettings(), {}, None, None)


def test_arguments_and_answers_can_come_from_files(requests: list[Request], tmp_path: Path) -> None:
    file = tmp_path / "given.json"
    file.write_text('{"title": "Ubik – ✓"}', encoding="utf-8")
    run(["call", "shop.py", "order", "--args", f"@{file}", "--answers", f"@{file}"])
    assert requests[0].arguments == requests[0].answers == {"title": "Ubik – ✓"}


@pytest.mark.usefixtures("requests")
def test_json_is_one_document_on_standard_output_and_remarks_go_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["call", "shop.py", "order", "--json"]) == 3
    output = capsys.readouterr()
    assert json.loads(output.out) == {"tool": "order"}
    assert output.err == "A remark.\n"


def test_serve_isolated_says_at_its_start_what_is_not_closed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(main_module, "holes", lambda python: [f"{python} can be seen through."])
    monkeypatch.setattr(uvicorn.Server, "run", lambda *_, **__: None)
    assert run(["serve", "--isolate", "--port", "0", "--offline", "--python", "glass"]) == 0
    assert capsys.readouterr().err == "Not closed by --isolate: glass can be seen through.\n"


def test_graph_prints_of_each_node_who_could_have_shaped_its_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["graph", str(Path(SAMPLE).with_name("bookshop.py")), "--tool", "order_book", "--json"]) == 0
    nodes = json.loads(capsys.readouterr().out)["servers"][0]["tools"][0]["nodes"]
    assert {node["name"]: (node["supplied_by"], node["influenced_by"]) for node in nodes} == {
        "title": (["model"], []),
        "check_stock": (["server"], ["model"]),
        "confirm_backorder": (["person", "server"], ["model"]),
        "order_book": (["server"], ["person", "model"]),
    }


ISOLATED = [
    ["graph", SAMPLE, "--isolate"],
    ["check", SAMPLE, "--isolate"],
    ["call", SAMPLE, "reserve_book", "--args", '{"title": "Dune"}', "--isolate"],
]


@pytest.mark.parametrize("args", ISOLATED)
def test_the_commands_run_a_module_isolated(args: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    specs: list[ModuleSpec] = []

    class Noted(Workers):
        async def start(self, spec: ModuleSpec, key: str | None = None) -> Worker:
            specs.append(spec)
            return await super().start(spec)

    for place in ("app.cli.surveying.Workers", "app.calling.Workers"):
        monkeypatch.setattr(place, Noted)
    assert run(args) == 0
    assert [spec.isolate for spec in specs] == [True]
