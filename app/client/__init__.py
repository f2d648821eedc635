"""The simulated client: one tool call as a loop of rounds, questions out, answers in.

Knows the protocol and the worker's address; neither pages nor the command line, and never the user's module.
"""

from app.client.call import Call
from app.client.questions import QuestionSettled
from app.client.settings import CAPABILITIES, DEFAULT_CAPABILITIES, MAX_ROUNDS, ClientSettings

__all__ = ["CAPABILITIES", "DEFAULT_CAPABILITIES", "MAX_ROUNDS", "Call", "ClientSettings", "QuestionSettled"]
