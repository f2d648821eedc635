"""Isolated workers: what a module still can, what it no longer can, and what is left when it ends."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from app.calling import Made, Request, call_on
from app.client.settings import ClientSettings
from app.workers import ModuleSpec, Worker, WorkerFailed, Workers, holes
from resolver_runtime import events as ev
from resolver_runtime.host.isolation import limits
from resolver_runtime.host.process import tree_of

pytestmark = pytest.mark.anyio

WAIT_SECONDS = 60
HEAD = """
import asyncio, os, socket, subprocess, sys, tempfile, threading
from pathlib import Path
from mcp.server.mcpserver import MCPServer
mcp = MCPServer('s')
HERE = Path(__file__).parent
"""


@asynccontextmanager
async def working(directory: Path, text: str, *, isolate: bool = True) -> AsyncIterator[Worker]:
    (directory / "shop.py").write_text(HEAD + text)
    async with Workers() as workers:
        with anyio.fail_after(WAIT_SECONDS):
            yield await workers.start(ModuleSpec(str(directory / "shop.py"), isolate=isolate))


async def called(worker: Worker, tool: str = "act") -> Made:
    async def nobody(asked: ev.QuestionAsked) -> None:
        return None

    return await call_on(worker, Request(ModuleSpec(""), tool, {}, ClientSettings(), {}), nobody, lambda _: None)


def tool(body: str, head: str = "def act") -> str:
    return f"@mcp.tool()\n{head}() -> str:\n    {body}\n"


def text(made: Made) -> str:
    return str(made.document["result"]["content"][0]["text"])


def ended(made: Made) -> str:
    """What it returned, or the kind of what it raised."""
    failed = [event["failure"]["kind"] for event in made.document["events"] if event["type"] == "tool_failed"]
    return str(failed[0]) if failed else text(made)


STILL = {
    "a file of its own": "with tempfile.NamedTemporaryFile() as file: return str(file.write(b'ok'))",
    "a home": "(Path.home() / 'cache').write_text('2'); return (Path.home() / 'cache').read_text()",
    "its neighbours": "import neighbour; return str(neighbour.NUMBER)",
    "a file beside it": "return (HERE / 'data.txt').read_text()",
    "a program": "return subprocess.run(['echo', '2'], capture_output=True, text=True, check=True).stdout.strip()",
    "a program that it ends": (
        "child = subprocess.Popen(['sleep', '60']); child.kill(); return str(abs(child.wait()) - 7)"
    ),
    "a thread": "thread = threading.Thread(target=len, args=('',)); thread.start(); thread.join(); return '2'",
    "a loop of its own": "return asyncio.run(asyncio.to_thread(lambda: '2'))",
    "/dev/null": "Path('/dev/null').write_text(''); return '2'",
}


def tools(bodies: Iterable[str]) -> str:
    return "".join(tool(body, f"def act{number}") for number, body in enumerate(bodies))


async def test_an_isolated_module_still_has_what_an_honest_one_needs(tmp_path: Path) -> None:
    (tmp_path / "neighbour.py").write_text("NUMBER = 2")
    (tmp_path / "data.txt").write_text("2")
    async with working(tmp_path, tools(STILL.values())) as worker:
        got = {name: text(await called(worker, f"act{number}")) for number, name in enumerate(STILL)}
    assert got == dict.fromkeys(STILL, "2")


NO_LONGER = {
    "writing beside itself": "(HERE / 'new').write_text(''); return 'done'",
    "a socket": "socket.socket().close(); return 'done'",
    "the files of another worker": "os.listdir({others!r}); return 'done'",
    "secrets of the system": "os.stat('/etc'); os.listdir('/etc'); return 'done'",
    "the environment of what started it": "Path(f'/proc/{{os.getppid()}}/environ').read_bytes(); return 'done'",
    "ending what started it": "os.kill(os.getppid(), 0); return 'done'",
}


@pytest.mark.parametrize(("isolate", "outcome"), [(True, "PermissionError"), (False, "done")], ids=["walls", "none"])
async def test_an_isolated_module_has_no_longer_what_is_others(tmp_path: Path, isolate: bool, outcome: str) -> None:
    others, here = tmp_path / "others", tmp_path / "here"
    others.mkdir()
    here.mkdir()
    bodies = [body.format(others=str(others)) for body in NO_LONGER.values()]
    async with working(here, tools(bodies), isolate=isolate) as worker:
        got = {name: ended(await called(worker, f"act{number}")) for number, name in enumerate(NO_LONGER)}
    assert got == dict.fromkeys(NO_LONGER, outcome)


async def test_the_walls_stand_while_the_module_is_imported(tmp_path: Path) -> None:
    async with working(tmp_path, "socket.socket()\n") as worker:
        assert "PermissionError" in worker.survey["problems"][0]["message"]


async def test_the_walls_are_round_every_thread_of_the_worker(tmp_path: Path) -> None:
    async with working(tmp_path, tool("return ''")) as worker:
        await called(worker)
        tasks = list(Path(f"/proc/{worker.pid}/task").iterdir())
        status = [(task / "status").read_text() for task in tasks]
    assert len(status) > 1
    assert all("Seccomp:\t2" in one and "NoNewPrivs:\t1" in one for one in status)


async def test_an_isolated_worker_holds_no_descriptor_of_anyone_elses(tmp_path: Path) -> None:
    async with working(tmp_path, tool("return ''")) as worker:
        held = [os.readlink(one) for one in Path(f"/proc/{worker.pid}/fd").iterdir()]
    # The connection to the playground, the listener, the loop's pair; two pipes with both ends; the loop's epoll.
    expected = {"socket": 4, "pipe": 4, "anon_inode": 1, "/dev/null": 1}
    assert Counter(one.partition(":")[0] for one in held) == expected


async def test_too_much_memory_fails_its_call_and_no_other(tmp_path: Path) -> None:
    body = tool("return str(len(b'x' * (1 << 31)))") + tool("return 'fine'", "def other")
    async with working(tmp_path, body) as worker:
        assert ended(await called(worker)) == "MemoryError"
        assert text(await called(worker, "other")) == "fine"


async def test_a_worker_that_ends_for_want_of_memory_says_so(tmp_path: Path) -> None:
    body = tool("os.write(2, b\"terminate called after throwing an instance of 'std::bad_alloc'\\n\"); os.abort()")
    async with working(tmp_path, body) as worker:
        made = await called(worker)
    assert made.code == 5
    assert limits.MEMORY == 1 << 30
    assert (
        "ended after it was refused more memory. With --isolate it may take 1 GiB." in made.document["error"]["message"]
    )


async def test_no_file_of_a_worker_outlives_it(tmp_path: Path) -> None:
    async with working(tmp_path, tool("(Path.home() / 'left').write_text(''); return str(Path.home())")) as worker:
        scratch = Path(text(await called(worker)))
        assert list(scratch.iterdir())
        await worker.kill()
        with anyio.fail_after(WAIT_SECONDS):
            while scratch.exists():
                await anyio.lowlevel.checkpoint()


LEAVE = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
def leave():
    for _ in range(3):
        if os.fork() == 0:
            if os.fork() != 0:
                os._exit(0)
            time.sleep(600)
    return 'left'
"""


async def test_a_killed_worker_leaves_no_process_behind_though_it_cannot_be_asked(tmp_path: Path) -> None:
    async with working(tmp_path, LEAVE + tool("return leave()")) as worker:
        assert text(await called(worker)) == "left"
        tree = tree_of(worker.pid)
        await worker.kill()
        with anyio.fail_after(WAIT_SECONDS):
            while any(map(_runs, tree)):
                await anyio.lowlevel.checkpoint()
    assert len(tree) >= 4
    assert worker.death is not None
    assert worker.death.cause == "killed"


def _runs(pid: int) -> bool:
    try:
        return "(zombie)" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


async def test_two_workers_share_no_directory(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(HEAD + tool("return str(Path.home())"))
    spec = ModuleSpec(str(tmp_path / "shop.py"), isolate=True)
    async with Workers() as workers:
        with anyio.fail_after(WAIT_SECONDS):
            one, other = [text(await called(await workers.start(spec))) for _ in range(2)]
    assert one != other


async def test_where_there_are_no_walls_to_be_had_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    async with Workers() as workers:
        with pytest.raises(WorkerFailed, match="on Linux only, and this is darwin"):
            await workers.start(ModuleSpec("shop.py", isolate=True))


def test_the_self_test_finds_no_hole() -> None:
    assert holes() == []


def test_a_self_test_that_does_not_run_is_a_hole(tmp_path: Path) -> None:
    (hole,) = holes(str(tmp_path / "python"))
    assert "so nothing is known of it" in hole
