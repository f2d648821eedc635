"""`python -m resolver_runtime.host JOB`: one worker in a fresh process, where forking is not to be had."""

from __future__ import annotations

import json
import sys

from resolver_runtime.host.job import Job
from resolver_runtime.host.worker import run

if __name__ == "__main__":
    run(Job(**json.loads(sys.argv[1])))
