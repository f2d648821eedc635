"""A worker in a process of its own making, where forking is not to be had: half a second later, and otherwise equal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from resolver_runtime.host import process, worker
from resolver_runtime.host.job import Job
from resolver_runtime.host.pipes import open_pipe


def start(job: Job) -> int:
    """Start the process; its id."""
    entry = str(Path(__file__).with_name("__main__.py"))
    command = [sys.executable, entry, json.dumps(job.to_json())]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL).pid


def work(job: Mapping[str, Any]) -> None:
    """Be that process."""
    process.stand_alone(os.getppid())
    worker.run(Job(**job), (open_pipe(), open_pipe()))
