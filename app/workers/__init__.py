"""Worker processes: starting them, hearing them, ending them.

Knows processes, sockets and lines; neither pages nor the protocol, and never imports `mcp`.
"""

from app.workers.death import Death, WorkerFailed
from app.workers.isolation import holes
from app.workers.pool import Workers, new_key
from app.workers.spec import ModuleSpec
from app.workers.worker import Worker

__all__ = ["Death", "ModuleSpec", "Worker", "WorkerFailed", "Workers", "holes", "new_key"]
