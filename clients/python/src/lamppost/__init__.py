"""Images, films and text from a Lamppost service, paid call by call and never twice."""

from ._async_client import AsyncLamppost
from ._audio import AsyncSpeech, Speech, Transcript
from ._budget import Budget, Spending
from ._client import Lamppost
from ._errors import BudgetExceeded, CallError, JobFailed, LamppostError, NoAnswer, NotGenuine
from ._medium import AsyncMedium, Charge, Medium
from ._sender import Response, Retry
from ._texts import ChatAnswer, ChatPiece, Completion, CompletionPiece
from ._webhooks import is_genuine_webhook, unwrap_webhook

__all__ = [
    "AsyncLamppost",
    "AsyncMedium",
    "AsyncSpeech",
    "Budget",
    "BudgetExceeded",
    "CallError",
    "Charge",
    "ChatAnswer",
    "ChatPiece",
    "Completion",
    "CompletionPiece",
    "JobFailed",
    "Lamppost",
    "LamppostError",
    "Medium",
    "NoAnswer",
    "NotGenuine",
    "Response",
    "Retry",
    "Speech",
    "Spending",
    "Transcript",
    "is_genuine_webhook",
    "unwrap_webhook",
]

__version__ = "1.0.0"
