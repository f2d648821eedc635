"""What comes out of a real worker's process: prints, logs, last words."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from app.client.call import Call
from app.client.settings import ClientSettings
from resolver_runtime.events import Era, Printed, ResolverReturned
from tests.app.working import ACT, HEAD, WAIT_SECONDS, called, of_type, working

pytestmark = pytest.mark.anyio


WAYS = {
    "a print": ("    print('told')\n", "printed"),
    "a print without an end": ("    print('told', end='')\n", "printed"),
    "a log line": ("    logging.getLogger('shop').warning('%s', 'told')\n", "logged"),
    "a descriptor": ("    os.write(1, b'told\\n')\n", "printed"),
    "a child process": ("    subprocess.run(['echo', 'told'])\n", "printed"),
    "a forked process": (
        "    from multiprocessing import get_context\n"
        "    child = get_context('fork').Process(target=print, args=('told',))\n    child.start(); child.join()\n",
        "printed",
    ),
    "a thread": (
        "    import threading\n    t = threading.Thread(target=print, args=('told',)); t.start(); t.join()\n",
        "printed",
    ),
    "bytes": ("    sys.stdout.buffer.write(b'told\\n')\n", "printed"),
}


@pytest.mark.parametrize(("body", "kind"), WAYS.values(), ids=WAYS.keys())
async def test_what_a_tool_says_is_with_its_call_before_the_call_ends(tmp_path: Path, body: str, kind: str) -> None:
    async with working(tmp_path, f"{ACT}{body}    return 'done'\n") as worker:
        made = await called(worker)
    assert [event["text"] for event in of_type(made, kind)] == ["told"]
    assert made.document["events"][-1]["type"] == "call_ended"


async def test_a_log_line_with_an_exception_tells_where_it_was_raised(tmp_path: Path) -> None:
    body = "    try: {}['key']\n    except KeyError: logging.exception('no such key')\n    return 'done'\n"
    async with working(tmp_path, ACT + body) as worker:
        logged = of_type(await called(worker), "logged")[0]
    assert (logged["level"], logged["text"], logged["failure"]["kind"]) == ("ERROR", "no such key", "KeyError")
    assert logged["failure"]["frames"][-1]["user"]


async def test_logging_that_a_module_sets_up_is_heard_once(tmp_path: Path) -> None:
    text = f"import logging\nlogging.basicConfig(level='INFO')\n{ACT}    logging.info('once')\n    return 'done'\n"
    async with working(tmp_path, text) as worker:
        told = of_type(await called(worker), "logged", "printed")
    assert [event["text"] for event in told] == ["once"]


async def test_a_flood_of_output_is_counted_instead_of_told(tmp_path: Path) -> None:
    async with working(tmp_path, f"{ACT}    for n in range(20_000): print(n)\n    return 'done'\n") as worker:
        made = await called(worker)
    dropped = sum(event["lines"] for event in of_type(made, "output_dropped"))
    assert len(of_type(made, "printed")) + dropped == 20_000
    assert dropped > 0


async def test_a_flood_of_one_call_takes_no_line_from_the_next(tmp_path: Path) -> None:
    flood = f"{ACT}    for n in range(20_000): print(n)\n    return 'done'\n"
    text = f"{flood}@mcp.tool()\ndef other() -> str:\n    print('heard')\n    return ''\n"
    async with working(tmp_path, text) as worker:
        await called(worker)
        made = await called(worker, "other")
    assert [event["text"] for event in of_type(made, "printed")] == ["heard"]


LAST = {
    "an exit": "    os._exit(3)\n",
    "a signal": "    os.kill(os.getpid(), signal.SIGKILL)\n",
    "an abort": "    os.abort()\n",
}


@pytest.mark.parametrize("body", LAST.values(), ids=LAST.keys())
async def test_what_was_said_before_a_sudden_end_is_heard(tmp_path: Path, body: str) -> None:
    text = f"{ACT}    print('by print')\n    os.write(2, b'by descriptor\\n')\n{body}"
    async with working(tmp_path, text) as worker:
        made = await called(worker)
    assert {"by print", "by descriptor"} <= {event["text"] for event in of_type(made, "printed")}
    assert of_type(made, "tool_started")
    assert made.code == 5


async def test_a_crash_in_c_code_leaves_its_traceback(tmp_path: Path) -> None:
    async with working(tmp_path, f"{ACT}    import ctypes; ctypes.string_at(0)\n") as worker:
        made = await called(worker)
    told = "\n".join(event["text"] for event in of_type(made, "printed"))
    assert "Segmentation fault" in told
    assert "shop.py" in told


async def test_what_a_module_prints_at_import_is_kept(tmp_path: Path) -> None:
    async with working(tmp_path, f"print('hello')\n{HEAD}mcp = MCPServer('s')\n") as worker:
        await worker.fence()
        assert worker.output == ["hello"]


SET_UP = {
    "a reconfigured stream": "import sys\nsys.stdout.reconfigure(encoding='utf-8', line_buffering=True)\n",
    "a replaced stream": "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')\n",
    "a closed stream": "import sys\nsys.stderr.close()\n",
}


@pytest.mark.parametrize("text", SET_UP.values(), ids=SET_UP.keys())
async def test_a_module_may_do_with_its_streams_what_scripts_do(tmp_path: Path, text: str) -> None:
    async with working(tmp_path, f"{text}{ACT}    return 'done'\n") as worker:
        assert (await called(worker)).code == 0


CROWD = """
import anyio
from typing import Annotated
from mcp.server.mcpserver import MCPServer, Resolve
mcp = MCPServer("crowd")
def in_a_thread(number: int) -> int:
    print("thread", number)
    return number
async def on_the_loop(number: int) -> int:
    print("loop", end=" ")
    await anyio.lowlevel.checkpoint()
    print(number)
    return number
@mcp.tool()
async def act(number: int, a: Annotated[int, Resolve(in_a_thread)], b: Annotated[int, Resolve(on_the_loop)]) -> str:
    print("body", number)
    return str(a + b)
"""


@pytest.mark.parametrize("era", ["2026-07-28", "2025-11-25"])
async def test_of_many_calls_at_once_each_hears_its_own_lines(tmp_path: Path, era: Era) -> None:
    async with working(tmp_path, CROWD) as worker:
        tool = worker.survey["servers"][0]["tools"][0]
        calls = [Call(worker, 0, tool, {"number": number}, ClientSettings(era)) for number in range(12)]
        with anyio.fail_after(WAIT_SECONDS):
            async with anyio.create_task_group() as tasks:
                for call in calls:
                    tasks.start_soon(call.run)
    for number, call in enumerate(calls):
        told = [record.event for record in call.log.records()]
        lines = [event.text for event in told if isinstance(event, Printed)]
        assert lines == [f"thread {number}", f"loop {number}", f"body {number}"]
        assert sum(isinstance(event, ResolverReturned) for event in told) == 2
