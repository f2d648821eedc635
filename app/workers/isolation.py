"""The self-test of the isolation: what a worker could do all the same. Knows its program and nothing of its walls."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from app.workers.environment import environment
from resolver_runtime import wire

PROGRAM = Path(wire.__file__).parent / "host" / "isolation"
TEST_SECONDS = 60


def holes(python: str | None = None) -> list[str]:
    """What an isolated worker of this interpreter can do that it should not, a sentence each; takes half a second."""
    try:
        done = subprocess.run(
            [python or sys.executable, str(PROGRAM)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TEST_SECONDS,
            env=environment(),
            check=True,
        )
        return [str(sentence) for sentence in json.loads(done.stdout)]
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return [f"The self-test of the isolation failed, so nothing is known of it: {error}"]
