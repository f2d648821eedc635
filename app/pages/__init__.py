"""What the page shows: from survey, graph and call to one documented context per template, and to HTML.

Pure: knows neither routes, sockets nor workers. First paint and update draw the same context with the same partial;
each partial's root carries a stable id (see docs/architecture.md).
"""

from app.pages.calls import Actions, Arguments, Result, Rounds
from app.pages.graphs import Arcs, Edges, GraphPane, ListRow, NodeCard, NodePanel, list_row
from app.pages.modules import Client, ModuleLink, Problems, Signature, Tools
from app.pages.naming import FIELD_PREFIX, IDLE, Place, dom_id, module_href, posted_fields
from app.pages.page import Main, Page, Panes, TabCount
from app.pages.panes import (
    LogPane,
    LogRow,
    RoundsPane,
    SchemaPane,
    SourcePane,
    StatePane,
    WireLine,
    WirePane,
    wire_line,
)
from app.pages.questions import Dialog, DialogHead, Draft, Question, head_of, roots_from, roots_text
from app.pages.rendering import Context, environment, render

__all__ = [
    "FIELD_PREFIX",
    "IDLE",
    "Actions",
    "Arcs",
    "Arguments",
    "Client",
    "Context",
    "Dialog",
    "DialogHead",
    "Draft",
    "Edges",
    "GraphPane",
    "ListRow",
    "LogPane",
    "LogRow",
    "Main",
    "ModuleLink",
    "NodeCard",
    "NodePanel",
    "Page",
    "Panes",
    "Place",
    "Problems",
    "Question",
    "Result",
    "Rounds",
    "RoundsPane",
    "SchemaPane",
    "Signature",
    "SourcePane",
    "StatePane",
    "TabCount",
    "Tools",
    "WireLine",
    "WirePane",
    "dom_id",
    "environment",
    "head_of",
    "list_row",
    "module_href",
    "posted_fields",
    "render",
    "roots_from",
    "roots_text",
    "wire_line",
]
