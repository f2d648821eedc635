"""The three questions a resolver may return: how each goes to the client, and what the client needs to answer it.

Knows markers and protocol types; neither rounds nor graphs.
"""

from __future__ import annotations

from typing import Any

from mcp.server.elicitation import render_elicitation_schema
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Sample
from mcp.shared.exceptions import MCPError
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    ClientCapabilities,
    CreateMessageRequest,
    CreateMessageResult,
    CreateMessageResultWithTools,
    ElicitationCapability,
    ElicitRequest,
    ElicitRequestFormParams,
    FormElicitationCapability,
    InputRequest,
    ListRootsRequest,
    ListRootsResult,
    MissingRequiredClientCapabilityErrorData,
    RootsCapability,
    SamplingCapability,
    SamplingToolsCapability,
)

from resolver_runtime.events import QuestionKind

Marker = Elicit[Any] | Sample | ListRoots
MARKERS = (Elicit, Sample, ListRoots)


def kind_of(marker: Marker) -> QuestionKind:
    if isinstance(marker, Elicit):
        return "elicit"
    return "sample" if isinstance(marker, Sample) else "list_roots"


def message_of(marker: Marker) -> str:
    """A question in a few words."""
    if isinstance(marker, Elicit):
        return str(marker.message)
    return "a completion by the client's LLM" if isinstance(marker, Sample) else "the client's roots"


def rendered(marker: Marker) -> InputRequest:
    """The question as it goes on the wire, the same in both eras.

    Raises:
        TypeError: the elicitation's schema holds a field that the specification does not allow (the SDK's rule).
    """
    if isinstance(marker, Elicit):
        schema = render_elicitation_schema(marker.schema)
        return ElicitRequest(params=ElicitRequestFormParams(message=marker.message, requested_schema=schema))
    return CreateMessageRequest(params=marker.params) if isinstance(marker, Sample) else ListRootsRequest()


def params_json(request: InputRequest) -> dict[str, Any] | None:
    """A request's params as on the wire; None for a request without."""
    if request.params is None:
        return None
    return request.params.model_dump(mode="json", by_alias=True, exclude_none=True)


def result_type(
    marker: Sample | ListRoots,
) -> type[CreateMessageResult] | type[CreateMessageResultWithTools] | type[ListRootsResult]:
    """What an answer must be: with tools, a completion may hold several blocks."""
    if isinstance(marker, ListRoots):
        return ListRootsResult
    return CreateMessageResultWithTools if _wants_tools(marker) else CreateMessageResult


def require_capability(declared: ClientCapabilities | None, marker: Marker, key: str) -> None:
    """Refuse a question that the client did not declare itself able to answer.

    An empty `elicitation` capability means forms: it is older than its modes.

    Raises:
        MCPError: -32021 (MISSING_REQUIRED_CLIENT_CAPABILITY), with `requiredCapabilities` in its data.
    """
    missing = _missing(declared or ClientCapabilities(), marker)
    if missing is None:
        return
    name, required = missing
    data = MissingRequiredClientCapabilityErrorData(required_capabilities=required)
    raise MCPError(
        code=MISSING_REQUIRED_CLIENT_CAPABILITY,
        message=f"Client did not declare the {name} capability required by resolver {key!r}",
        data=data.model_dump(by_alias=True, mode="json", exclude_none=True),
    )


def _missing(declared: ClientCapabilities, marker: Marker) -> tuple[str, ClientCapabilities] | None:
    if isinstance(marker, Elicit):
        modes = declared.elicitation
        if modes is not None and (modes.form is not None or modes.url is None):
            return None
        form = ElicitationCapability(form=FormElicitationCapability())
        return "form elicitation", ClientCapabilities(elicitation=form)
    if isinstance(marker, ListRoots):
        return None if declared.roots is not None else ("roots", ClientCapabilities(roots=RootsCapability()))
    tools = SamplingToolsCapability() if _wants_tools(marker) else None
    if declared.sampling is not None and (tools is None or declared.sampling.tools is not None):
        return None
    name = "sampling" if tools is None else "sampling.tools"
    return name, ClientCapabilities(sampling=SamplingCapability(tools=tools))


def _wants_tools(marker: Sample) -> bool:
    return marker.params.tools is not None or marker.params.tool_choice is not None
