"""A typed client of the agent marketplace: every operation, retries, idempotency keys, streams and webhooks."""

from . import types
from ._errors import MarketApiError
from ._market import ChatEvent, Market
from ._transport import Retry
from ._webhooks import VerifiedRequest, WebhookVerificationError, verify_webhook

__version__ = "0.1.0"

__all__ = [
    "ChatEvent",
    "Market",
    "MarketApiError",
    "Retry",
    "VerifiedRequest",
    "WebhookVerificationError",
    "types",
    "verify_webhook",
]
