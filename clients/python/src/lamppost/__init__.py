"""Images, films and text from a Lamppost service, paid call by call and never twice."""

from ._budget import Budget, Spending
from ._client import ChatAnswer, ChatPiece, Lamppost
from ._errors import BudgetExceeded, CallError, JobFailed, LamppostError, NoAnswer, NotGenuine
from ._medium import Charge, Medium
from ._sender import Retry
from ._webhooks import is_genuine_webhook, unwrap_webhook

__all__ = [
    "Budget",
    "BudgetExceeded",
    "CallError",
    "Charge",
    "ChatAnswer",
    "ChatPiece",
    "JobFailed",
    "Lamppost",
    "LamppostError",
    "Medium",
    "NoAnswer",
    "NotGenuine",
    "Retry",
    "Spending",
    "is_genuine_webhook",
    "unwrap_webhook",
]

__version__ = "0.1.0"
