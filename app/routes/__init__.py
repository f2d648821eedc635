"""The HTTP and WebSocket routes: from a request to the workspace, and from its answer to a page, a part or JSON.

Each module holds its routes and, beside them, the access each of them declares (`ACCESS`, see `app.access`).
"""
