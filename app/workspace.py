"""One person's modules and calls: which module runs in which worker, which call belongs to it.

Knows neither HTTP nor templates. A module is loaded when it is first looked at, and again when its file has changed or
its worker has died; the last few stay loaded.
"""

from __future__ import annotations

import importlib
import sys
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.abc

from app.again import answer_as_before
from app.calls import KEPT_CALLS, CallLog
from app.client.settings import ClientSettings
from app.pages.naming import Place
from app.running import EarlierCall, Running, earlier
from app.store import Store
from app.workers import ModuleSpec, Worker, Workers, new_key
from resolver_runtime.graph import Graph

if TYPE_CHECKING:
    from app.client.call import Call

IDLE_WORKERS = 3
"""Kept at once: each costs some 15 MB, and going back to a module should be instant."""


class Unknown(LookupError):
    """Raised when a module, server, tool, call or node is asked for that the workspace does not have."""


@dataclass(frozen=True)
class Module:
    """One module of the workspace. `id` is short, unique and safe in an address."""

    id: str
    label: str
    spec: ModuleSpec

    @property
    def key(self) -> str:
        """What it is called beyond this process: the path, or the dotted name, with the server if one is named."""
        path = Path(self.spec.module.rpartition(":")[0] or self.spec.module)
        return str(path.resolve()) + self.spec.module[len(str(path)) :] if path.exists() else self.spec.module

    @property
    def stamp(self) -> float:
        """When its code last changed, in seconds; 0.0 where it is not a file."""
        path = Path(self.spec.module.rpartition(":")[0] or self.spec.module)
        return path.stat().st_mtime if path.is_file() else 0.0


@dataclass(frozen=True)
class Loaded:
    """A module in its worker. `graphs` maps (server index, tool name) to the tool's graph."""

    module: Module
    worker: Worker
    stamp: float
    graphs: Mapping[tuple[int, str], Graph]

    @property
    def survey(self) -> dict[str, Any]:
        return self.worker.survey

    @property
    def fresh(self) -> bool:
        return self.worker.death is None and not self.worker.ending and self.stamp == self.module.stamp

    def tool(self, server: int, name: str) -> dict[str, Any]:
        """The survey's entry of one tool.

        Raises:
            Unknown: there is none of this name.
        """
        servers = self.survey["servers"]
        if 0 <= server < len(servers):
            for tool in servers[server]["tools"]:
                if tool["name"] == name:
                    found: dict[str, Any] = tool
                    return found
        raise Unknown(f"{self.module.label} has no tool {name!r}; it may have been renamed. Choose one in the list.")

    def first_tool(self) -> tuple[int, str] | None:
        return next(iter(self.graphs), None)


@dataclass
class Workspace:
    """The modules, the loaded ones among them, the calls and the simulated client's settings and roots.

    `store` keeps the calls; those of earlier processes are there from the start.
    """

    workers: Workers
    modules: tuple[Module, ...]
    tasks: anyio.abc.TaskGroup
    client: ClientSettings = field(default_factory=ClientSettings)
    roots: tuple[Mapping[str, str], ...] = ()
    store: Store = field(default_factory=Store)
    idle_workers: int = IDLE_WORKERS
    calls: OrderedDict[str, Running] = field(default_factory=OrderedDict)
    _loaded: OrderedDict[str, Loaded] = field(default_factory=OrderedDict)
    _loading: anyio.Lock = field(default_factory=anyio.Lock)
    _key: str = field(default_factory=new_key, repr=False)
    """Of the workspace, not of a worker: a request state outlives a module's newer code."""

    def __post_init__(self) -> None:
        ids = {module.key: module.id for module in self.modules}
        for kept in self.store.calls():
            if (module_id := ids.get(kept.about["module"])) is not None:
                self.calls[kept.id] = earlier(kept, module_id)

    def module(self, module_id: str | None) -> Module:
        """The module with this id; without an id the first.

        Raises:
            Unknown: no module has this id.
        """
        for module in self.modules:
            if module_id in (None, "", module.id):
                return module
        raise Unknown(f"There is no module {module_id!r} here. Choose one in the list.")

    def is_loaded(self, module: Module) -> bool:
        """Whether the module is there without waiting for it to import."""
        known = self._loaded.get(module.id)
        return known is not None and known.fresh

    async def load(self, module: Module) -> Loaded:
        """The module in a living worker that has its latest code.

        Raises:
            WorkerFailed: the worker never became ready.
        """
        async with self._loading:
            known = self._loaded.get(module.id)
            if known is not None and known.fresh:
                self._loaded.move_to_end(module.id)
                return known
            if known is not None:
                await self._unload(known)
            stamp = module.stamp
            worker = await self.workers.start(module.spec, self._key)
            loaded = Loaded(module, worker, stamp, _graphs(worker.survey))
            self._loaded[module.id] = loaded
            await self._make_room()
            return loaded

    async def start_call(
        self,
        loaded: Loaded,
        place: Place,
        arguments: Mapping[str, Any],
        client: ClientSettings | None = None,
        raw: str = "",
    ) -> Running:
        """Begin a call, with the workspace's client as it is set now or another; it outlives the request that began it.

        Raises:
            Unknown: the module has no such tool.
        """
        tool = loaded.tool(place.server, place.tool)
        log = CallLog(self.store.epoch)
        call = (await _call_class())(loaded.worker, place.server, tool, arguments, client or self.client, log)
        running = Running(call, place, tool, raw, loaded.worker)
        kept = running.kept(loaded.module.key)
        log.subscribe(lambda record: self.store.put(kept, record))
        self.calls[call.id] = running
        self._forget_old_calls()
        self.tasks.start_soon(self._run, call, loaded)
        return running

    async def start_again(self, before: Running) -> Running:
        """Begin a call like `before`, with its arguments, its client, and its answers for as long as there are some.

        Raises:
            Unknown: the module or the tool is not there any more.
            WorkerFailed: the worker never became ready.
        """
        view = before.view()
        loaded = await self.load(self.module(before.place.module))
        running = await self.start_call(loaded, before.place, view.arguments, before.call.settings, before.raw)
        self.tasks.start_soon(answer_as_before, running.call, view.questions.values())
        return running

    async def running(self, call_id: str) -> Running:
        """
        Raises:
            Unknown: no call has this id, or its events cannot be read any more.
        """
        if call_id not in self.calls or not await self._read(self.calls[call_id]):
            raise Unknown("This call is not here any more. Press Call to run the tool again.")
        return self.calls[call_id]

    async def latest(self, place: Place, graph: Graph) -> Running | None:
        """The last call of this tool, if the tool is still what it was."""
        calls = (one for one in reversed(self.calls.values()) if one.place == place)
        found = next(calls, None)
        return found if found is not None and found.graph == graph and await self._read(found) else None

    async def _read(self, running: Running) -> bool:
        """Have the events of a call of an earlier process at hand; False if there are none."""
        call = running.call
        if not isinstance(call, EarlierCall):
            return True
        if not call.log.records():
            call.log = CallLog.of(await anyio.to_thread.run_sync(self.store.records, call.id))
        return bool(call.log.records())

    async def close(self) -> None:
        """End every call, and every worker with it; within a second. Nothing can be begun here any more."""
        for running in self.calls.values():
            running.call.stop()
        # Also workers that were let go, and stayed for a call.
        workers = {id(one.worker): one.worker for one in self._loaded.values()}
        workers |= {id(one.worker): one.worker for one in self.calls.values() if one.worker is not None}
        async with anyio.create_task_group() as ending:
            for worker in workers.values():
                ending.start_soon(worker.kill)

    async def _run(self, call: Call, loaded: Loaded) -> None:
        await call.run()
        is_left = self._loaded.get(loaded.module.id) is not loaded and not self._is_busy(loaded)
        if call.worker_stuck or is_left:
            await loaded.worker.kill()

    async def _make_room(self) -> None:
        """Workers with a call do not count: they stay for it. The one that was wanted last is the last to go."""
        idle = [one for one in self._loaded.values() if not self._is_busy(one)]
        for loaded in idle[: -self.idle_workers]:
            await self._unload(loaded)

    def _is_busy(self, loaded: Loaded) -> bool:
        return any(one.worker is loaded.worker and not one.call.ended for one in self.calls.values())

    async def _unload(self, loaded: Loaded) -> None:
        """Let a worker go: at once, or with the end of its last call, for a question may be waiting there."""
        self._loaded.pop(loaded.module.id, None)
        if not self._is_busy(loaded):
            await loaded.worker.kill()

    def _forget_old_calls(self) -> None:
        ended = [call_id for call_id, running in self.calls.items() if running.call.ended]
        for call_id in ended[: max(0, len(self.calls) - KEPT_CALLS)]:
            del self.calls[call_id]


async def _call_class() -> type[Call]:
    """Imports `mcp`, which takes longer than everything else at start-up: in a thread, and done by most calls."""
    name = "app.client.call"
    module = sys.modules.get(name)
    if module is None or not hasattr(module, "Call"):  # another thread may be in the middle of it
        module = await anyio.to_thread.run_sync(importlib.import_module, name)
    found: type[Call] = module.Call
    return found


def modules_at(paths: tuple[str, ...], python: str | None, isolate: bool = False) -> tuple[Module, ...]:
    """The modules that the command line names: a directory stands for every module in it.

    Raises:
        FileNotFoundError: a path that looks like a file is not there.
    """
    specs = [ModuleSpec(name, python, isolate=isolate) for path in paths for name in _expand(path)]
    labels = [Path(spec.module).name for spec in specs]
    return tuple(
        Module(f"{index}-{label.partition('.')[0]}", label, spec)
        for index, (spec, label) in enumerate(zip(specs, labels, strict=True))
    )


def _expand(path: str) -> list[str]:
    root = Path(path)
    if root.is_dir() and not (root / "__init__.py").exists():
        found = sorted(root.glob("*.py")) + sorted(child.parent for child in root.glob("*/__init__.py"))
        return [str(file) for file in found if not file.name.startswith("_")]
    file = path.rpartition(":")[0] or path
    if (file.endswith(".py") or "/" in file) and not Path(file).exists():
        raise FileNotFoundError(f"There is no file {file}. Give a Python file, a directory of them, or package.module.")
    return [path]


def _graphs(survey: Mapping[str, Any]) -> dict[tuple[int, str], Graph]:
    return {
        (index, tool["name"]): Graph.from_json(tool)
        for index, server in enumerate(survey["servers"])
        for tool in server["tools"]
    }
