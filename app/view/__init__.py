"""What a call looks like: a fold over its events.

Pure: it knows neither where events come from nor how they are drawn. A page that joins late, a reload and a replay all
fold the same log and get the same view.
"""

from app.view.call import CallView
from app.view.parts import CallStatus, LogLine, NodeState, NodeView, QuestionView, RoundView

__all__ = ["CallStatus", "CallView", "LogLine", "NodeState", "NodeView", "QuestionView", "RoundView"]
