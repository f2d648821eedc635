"""The worker: a process that loads a user's module, surveys it, serves it over MCP, and reports what happens.

Runs under the interpreter of a user's project, with nothing but the standard library, `mcp` and what `mcp` brings.
"""
