"""A typed client of the agent marketplace: every operation, retries, idempotency keys, streams and webhooks."""

from . import types
from ._async_market import AsyncMarket
from ._course import Retry
from ._errors import MarketApiError
from ._events import AccountEvent, ChatEvent
from ._market import Market
from ._webhooks import VerifiedRequest, WebhookVerificationError, verify_event, verify_webhook

__version__ = "0.1.0"

__all__ = [
    "AccountEvent",
    "AsyncMarket",
    "ChatEvent",
    "Market",
    "MarketApiError",
    "Retry",
    "VerifiedRequest",
    "WebhookVerificationError",
    "types",
    "verify_event",
    "verify_webhook",
]
