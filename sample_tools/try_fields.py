"""Try: call describe_event and go through the form: it holds one field of every kind an elicitation may have.
Leave the optional ones empty, break a limit, and use the raw JSON side to send what no form would let you.
"""

from datetime import date, datetime
from typing import Annotated, Literal

from mcp.server.mcpserver import Elicit, MCPServer, Resolve
from pydantic import AnyUrl, BaseModel, Field

mcp = MCPServer("Events")


class Event(BaseModel):
    """Everything there is to say about an event."""

    name: str = Field(title="Name", min_length=3, max_length=40, examples=["Book fair"])
    seats: int = Field(title="Seats", ge=1, le=500)
    price: float = Field(title="Price", ge=0, multiple_of=0.5)
    outdoors: bool = Field(title="Outdoors")
    size: Literal["small", "medium", "large"] = Field(title="Size")
    floor: Literal[1, 2, 3] = Field(title="Floor")
    house_rules: Literal["accepted"] = Field(title="House rules")
    audience: Literal["all", "adults"] = Field(
        title="Audience",
        json_schema_extra={"enum": ["all", "adults"], "enumNames": ["All ages", "Adults only"]},
    )
    language: str = Field(
        title="Language",
        json_schema_extra={"oneOf": [{"const": "en", "title": "English"}, {"const": "pt", "title": "Portuguese"}]},
    )
    topics: list[Literal["poetry", "prose", "science"]] = Field(title="Topics", min_length=1, max_length=2)
    helpers: set[Literal["Ana", "Ben", "Chloe"]] = Field(title="Helpers", default_factory=set)
    day: date = Field(title="Day")
    doors: datetime = Field(title="Doors open")
    website: AnyUrl = Field(title="Website")
    contact: str = Field(title="Contact", json_schema_extra={"format": "email"})
    code: str = Field(title="Code", pattern=r"^[A-Z]{2}-\d{3}$", description="Two capitals, a hyphen, three digits.")
    remark: str | None = Field(None, title="Remark")
    reminder: int = Field(7, title="Reminder", description="Days before the event.", gt=0, lt=60)
    deadline: date = Field(date(2027, 1, 31), title="Deadline")
    room_key: str = Field("", title="Room key", alias="roomKey")


def ask_event() -> Elicit[Event]:
    return Elicit("Describe the event.", Event)


@mcp.tool()
def describe_event(event: Annotated[Event, Resolve(ask_event)]) -> Event:
    """Give back an event as it was understood."""
    return event
