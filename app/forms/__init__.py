"""JSON Schema to the fields of a form, and a posted form back to what goes on the wire.

Pure: knows schemas and texts, neither pages nor calls. Serves a tool's arguments (any schema; what has no control of
its own becomes a field of JSON text) and elicitations (the flat schemas of the specification). The server has the last
word on what fits: the checks here are those a careful client makes, and what was filled in can be sent all the same.
"""

from app.forms.fields import Field, fields, filled, single_boolean
from app.forms.parsing import parse, parse_json
from app.forms.schemas import Kind, Posted, Schema

__all__ = ["Field", "Kind", "Posted", "Schema", "fields", "filled", "parse", "parse_json", "single_boolean"]
