"""How real workers live and end: alone, with their parent, or by their own hand."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import anyio
import pytest

from app.client.call import Call
from app.workers import WorkerFailed, Workers, pool
from resolver_runtime.events import ResolverStarted
from resolver_runtime.host.process import tree_of
from tests.app.working import ACT, HEAD, TOOL, WAIT_SECONDS, called, gone, of_type, runs, started, working

pytestmark = pytest.mark.anyio

DEATHS = {
    "an exit code": ("    os._exit(3)\n", "exit code 3"),
    "a signal": ("    os.kill(os.getpid(), signal.SIGSEGV)\n", "Segmentation fault"),
    "a kill from outside": ("    os.kill(os.getpid(), signal.SIGKILL)\n", "killed from outside"),
}


@pytest.mark.parametrize(("body", "words"), DEATHS.values(), ids=DEATHS.keys())
async def test_a_worker_that_dies_ends_its_call_with_the_cause(tmp_path: Path, body: str, words: str) -> None:
    async with working(tmp_path, ACT + body) as worker:
        made = await called(worker)
        assert made.code == 5
        assert words in made.document["error"]["message"]


async def test_an_exit_in_a_task_of_the_users_own_ends_the_call_with_it(tmp_path: Path) -> None:
    body = "    import asyncio\n    async def leave(): sys.exit(3)\n    task = asyncio.create_task(leave())\n"
    text = f"{ACT.replace('def act', 'async def act')}{body}    await asyncio.sleep(600)\n"
    async with working(tmp_path, text) as worker:
        made = await called(worker)
    assert made.code == 5
    assert "exit code 3" in made.document["error"]["message"]
    assert "SystemExit: 3" in [event["text"] for event in of_type(made, "printed")]


async def test_an_exit_in_a_tool_fails_its_call_and_no_other(tmp_path: Path) -> None:
    async with working(tmp_path, f"{ACT}    sys.exit('enough')\n" + TOOL.format("mcp", "other")) as worker:
        made = await called(worker)
        assert made.code == 1
        failed = [event for event in made.document["events"] if event["type"] == "tool_failed"]
        assert failed[0]["failure"]["kind"] == "SystemExit"
        assert (await called(worker, "other")).code == 0


async def test_a_worker_sees_nothing_of_our_environment_but_what_programs_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYGROUND_CANARY", "secret")
    async with working(tmp_path, f"{ACT}    return repr(dict(os.environ))\n") as worker:
        made = await called(worker)
    assert "PATH" in made.document["result"]["content"][0]["text"]
    assert "secret" not in made.document["result"]["content"][0]["text"]


LEFT_BEHIND = """
def leave():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            with open({file!r}, 'w') as file: file.write(str(os.getpid()))
            time.sleep(600)
        os._exit(0)
    return 'left'
signal.signal(signal.SIGTERM, signal.SIG_IGN)
"""


async def test_a_killed_worker_leaves_no_process_behind_whatever_it_did(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    text = ACT.replace("@mcp", LEFT_BEHIND.format(file=str(file)) + "@mcp") + "    return leave()\n"
    async with working(tmp_path, text) as worker:
        await called(worker)
        with anyio.fail_after(WAIT_SECONDS):
            while not (file.exists() and file.read_text()):
                await anyio.lowlevel.checkpoint()
        grandchild = int(file.read_text())
        assert grandchild in tree_of(worker.pid)
        await worker.kill()
        await gone(grandchild)
        assert worker.death is not None
        assert worker.death.cause == "killed"


async def test_no_worker_outlives_the_workers(tmp_path: Path) -> None:
    async with working(tmp_path, f"{HEAD}mcp = MCPServer('s')\n") as worker:
        pid = worker.pid
    await gone(pid)


SPINNING = """
from typing import Annotated
from mcp.server.mcpserver import MCPServer, Resolve
mcp = MCPServer('s')
{0} spin() -> int:
    while True: pass
@mcp.tool()
def act(number: Annotated[int, Resolve(spin)]) -> str: return ''
"""


@pytest.mark.parametrize("kind", ["def", "async def"])
async def test_a_resolver_that_spins_is_seen_and_its_worker_can_be_killed(tmp_path: Path, kind: str) -> None:
    async with Workers() as workers:
        worker = await started(workers, tmp_path, SPINNING.format(kind))
        call = Call(worker, 0, worker.survey["servers"][0]["tools"][0], {})
        seen = anyio.Event()
        call.log.subscribe(lambda record: seen.set() if isinstance(record.event, ResolverStarted) else None)
        with anyio.fail_after(WAIT_SECONDS):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(call.run)
                await seen.wait()
                await worker.kill()
        assert not runs(worker.pid)
        assert (await called(await started(workers, tmp_path, f"{ACT}    return 'next'\n"))).code == 0


async def test_with_the_warm_parent_its_workers_end_and_the_next_has_a_new_one(tmp_path: Path) -> None:
    async with Workers() as workers:
        worker = await started(workers, tmp_path, f"{ACT}    return 'done'\n")
        os.kill(_parent_of(worker.pid), signal.SIGKILL)
        with anyio.fail_after(WAIT_SECONDS):
            assert (await worker.wait_dead()).cause == "parent"
        await gone(worker.pid)
        assert (await called(await started(workers, tmp_path, f"{ACT}    return 'next'\n"))).code == 0


async def test_an_interpreter_that_was_mended_is_tried_anew(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    async with Workers() as workers:
        with pytest.raises(WorkerFailed, match="may lack `mcp`"):
            await started(workers, tmp_path, "", python=str(python))
        python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        worker = await started(workers, tmp_path, f"{ACT}    return 'done'\n", python=str(python))
        assert (await called(worker)).code == 0


async def test_a_start_that_is_given_up_leaves_no_process(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    text = f"import os\nopen({str(file)!r}, 'w').write(str(os.getpid()))\nwhile True: pass\n"
    async with Workers() as workers:
        with anyio.fail_after(WAIT_SECONDS):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(started, workers, tmp_path, text)
                while not (file.exists() and file.read_text()):
                    await anyio.lowlevel.checkpoint()
                tasks.cancel_scope.cancel()
        await gone(int(file.read_text()))


async def test_a_module_that_does_not_become_ready_in_time_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "IMPORT_SECONDS", 0.2)
    async with Workers() as workers:
        with pytest.raises(WorkerFailed, match="not ready after") as failed:
            await started(workers, tmp_path, "print('importing', flush=True)\nwhile True: pass\n")
    assert failed.value.death.cause == "timeout"
    assert failed.value.output == "importing"


async def test_a_worker_that_ends_while_its_module_imports_is_said_with_its_words(tmp_path: Path) -> None:
    async with Workers() as workers:
        with pytest.raises(WorkerFailed, match="exit code 7") as failed:
            await started(workers, tmp_path, "import os\nprint('goodbye')\nos._exit(7)\n")
    assert failed.value.output == "goodbye"


CUT = """    import socket
    for descriptor in range(3, 50):
        try: socket.socket(fileno=os.dup(descriptor)).shutdown(socket.SHUT_RDWR)
        except OSError: pass
    while True: pass
"""


async def test_a_worker_that_cuts_its_connection_is_ended(tmp_path: Path) -> None:
    async with working(tmp_path, ACT + CUT) as worker:
        made = await called(worker)
        assert made.code == 5
        assert worker.death is not None
        assert worker.death.cause == "streams"


async def test_a_worker_that_is_dead_holds_nobody_up(tmp_path: Path) -> None:
    async with working(tmp_path, f"{HEAD}mcp = MCPServer('s')\n") as worker:
        await worker.kill()
        with anyio.fail_after(WAIT_SECONDS):
            await worker.fence()
            await worker.kill()


def _parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
