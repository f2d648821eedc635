"""Try: call plan_trip and watch the rounds: each question needs the answer before it, so three rounds ask one each.
Count the runs: resolvers run anew in every round, yet no question is put twice. What was answered is restored.
"""

from typing import Annotated, Literal

from mcp.server.mcpserver import Elicit, MCPServer, Resolve
from pydantic import BaseModel, Field

mcp = MCPServer("Trip planner")


class Destination(BaseModel):
    city: str = Field(title="City", min_length=1)


class Stay(BaseModel):
    nights: int = Field(title="Nights", ge=1, le=30)


class Room(BaseModel):
    view: Literal["courtyard", "street", "sea"] = Field(title="View")


def ask_destination() -> Elicit[Destination]:
    return Elicit("Where to?", Destination)


def ask_stay(destination: Annotated[Destination, Resolve(ask_destination)]) -> Elicit[Stay]:
    return Elicit(f"How many nights in {destination.city}?", Stay)


def ask_room(
    destination: Annotated[Destination, Resolve(ask_destination)],
    stay: Annotated[Stay, Resolve(ask_stay)],
) -> Elicit[Room]:
    return Elicit(f"Which view for {stay.nights} nights in {destination.city}?", Room)


@mcp.tool()
def plan_trip(
    traveller: str,
    destination: Annotated[Destination, Resolve(ask_destination)],
    stay: Annotated[Stay, Resolve(ask_stay)],
    room: Annotated[Room, Resolve(ask_room)],
) -> str:
    """Plan a trip from three answers, each of which shapes the next question."""
    return f"{traveller} stays {stay.nights} nights in {destination.city}, with a {room.view} view."
