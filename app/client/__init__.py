"""The simulated client: one tool call as a loop of rounds, questions out, answers in.

Knows the protocol and the worker's address; neither pages nor the command line, and never the user's module. `call` is
the way in. Nothing is imported here: `settings` and `questions` are light, and `call` brings the whole of `mcp`.
"""
