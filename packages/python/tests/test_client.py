"""The client: its rules against a server that misbehaves, and its calls against a running marketplace.

    MARKET_URL=… MARKET_API_KEY=… AGENT=… CHAT_AGENT=… python -m unittest discover packages/python/tests
"""

import base64
import hmac
import json
import os
import re
import sys
import threading
import unittest
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import httpx
from standardwebhooks import Webhook

from agent_marketplace import Market, MarketApiError, WebhookVerificationError, verify_webhook

README = Path(__file__).parent.parent / "README.md"


class Answers(ThreadingHTTPServer):
    """Answers each request with the next of `answers`: status, headers, body."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), AnswersHandler)
        self.answers = []
        self.seen = []
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class AnswersHandler(BaseHTTPRequestHandler):
    def answer(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.seen.append((self.command, self.path, self.headers.get("idempotency-key")))
        status, headers, body = self.server.answers.pop(0)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, *_):
        pass


def limited(seconds):
    error = {"code": "rate_limited", "message": "Too many requests.", "retryable": True}
    return 429, {"retry-after": seconds}, {"error": error, "trace_id": "t"}


DOWN = (503, {"retry-after": "0"}, {})
SSE = {"content-type": "text/event-stream"}


class RulesTest(unittest.TestCase):
    def setUp(self):
        self.server = Answers()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def test_waits_as_long_as_the_service_asks_and_repeats_a_call_with_the_same_key(self):
        self.server.answers = [limited("1"), DOWN, (200, {}, {"output": 1})]
        waits = []
        market = Market(self.server.url, on_retry=lambda retry: waits.append(retry.wait))
        self.assertEqual(market.invoke("agt_x_v1", {}), {"output": 1})
        self.assertEqual(waits, [1.0, 0.0])
        keys = {key for _, _, key in self.server.seen}
        self.assertEqual(len(keys), 1)
        self.assertIsNotNone(keys.pop())

    def test_leaves_requests_alone_that_could_have_an_effect_twice(self):
        self.server.answers = [DOWN]
        with self.assertRaises(MarketApiError) as failed:
            Market(self.server.url).create_key({"name": "a key", "scopes": ["agents:read"]})
        self.assertEqual((failed.exception.status, len(self.server.seen)), (503, 1))

    def test_does_not_wait_longer_than_the_caller_wants(self):
        for asked, wait in (("3600", 3600), ("Fri, 01 Jan 2100 00:00:00 GMT", None)):
            self.server.answers = [limited(asked)]
            with self.assertRaises(MarketApiError) as failed:
                Market(self.server.url).get_balance()
            self.assertEqual(failed.exception.code, "rate_limited")
            self.assertGreaterEqual(failed.exception.retry_after, 3600)
            if wait:
                self.assertEqual(failed.exception.retry_after, wait)

    def test_takes_a_retry_after_that_is_neither_for_none(self):
        self.server.answers = [limited("²"), (200, {}, {"available_credits": 1})]
        self.assertEqual(Market(self.server.url).get_balance(), {"available_credits": 1})

    def test_repeats_a_read_after_a_lost_connection_and_says_what_cannot_be_reached(self):
        self.server.server_close()
        reasons = []
        market = Market(self.server.url, max_retries=1, on_retry=lambda retry: reasons.append(retry.reason))
        with self.assertRaises(MarketApiError) as failed:
            market.get_balance()
        self.assertEqual((failed.exception.code, failed.exception.status, len(reasons)), ("unreachable", 0, 1))
        self.assertIsInstance(failed.exception.__cause__, httpx.ConnectError)

    def test_follows_no_redirect(self):
        self.server.answers = [(302, {"location": "http://127.0.0.1:1/"}, {})]
        with self.assertRaises(MarketApiError) as failed:
            Market(self.server.url, api_key="secret").get_balance()
        self.assertEqual((failed.exception.status, failed.exception.code), (302, "unknown"))

    def test_keeps_values_inside_their_part_of_the_path(self):
        self.server.answers = [(200, {}, {})]
        Market(self.server.url).get_listing("../keys?x=1")
        self.assertEqual(self.server.seen[0][1], "/v1/listings/..%2Fkeys%3Fx%3D1")
        for hostile in ("..", ""):
            with self.assertRaises(ValueError):
                Market(self.server.url).get_listing(hostile)

    def test_says_each_invalid_field(self):
        error = {"code": "validation_failed", "message": "Invalid.", "retryable": False}
        detail = [{"loc": ["body", "quantity"], "msg": "must be string", "type": "type"}]
        self.server.answers = [(422, {}, {"error": error, "trace_id": "t", "detail": detail})]
        with self.assertRaises(MarketApiError) as failed:
            Market(self.server.url).top_up({})
        self.assertEqual(str(failed.exception), "Invalid. (validation_failed)\n  body.quantity: must be string")

    def test_reads_all_pages_of_a_list(self):
        pages = [{"items": [1, 2], "next_cursor": "a b"}, {"items": [3], "next_cursor": None}]
        self.server.answers = [(200, {}, page) for page in pages]
        self.assertEqual(list(Market(self.server.url).iter_invocations(limit=2)), [1, 2, 3])
        self.assertEqual(self.server.seen[1][1], "/v1/invocations?limit=2&cursor=a+b")

    def test_a_stream_that_ends_early_is_no_answer(self):
        self.server.answers = [(200, SSE, b'data: {"type":"output_chunk","chunk":"a"}\n\n')]
        turn = Market(self.server.url).chat("agt_x_v1", "Hi")
        self.assertEqual(next(turn)["chunk"], "a")
        with self.assertRaises(MarketApiError) as failed:
            next(turn)
        self.assertEqual(failed.exception.code, "unreachable")

    def test_a_failed_turn_raises_its_error(self):
        event = b'data: {"type":"error","error":{"code":"agent_error","message":"Failed.","retryable":true},"trace_id":"t"}\n\n'
        self.server.answers = [(200, SSE, event)]
        with self.assertRaises(MarketApiError) as failed:
            list(Market(self.server.url).chat("agt_x_v1", "Hi"))
        self.assertEqual((failed.exception.code, failed.exception.retryable), ("agent_error", True))

    def test_events_resume_behind_the_last_one(self):
        ready = b'event: ready\ndata: {"complete":true}\n\n'
        first = b'id: 7\ndata: {"id":"evt_1","type":"credits.loaded","timestamp":"t","data":{}}\n\n'
        refused = (403, {}, {"error": {"code": "insufficient_scope", "message": "No.", "retryable": False}})
        self.server.answers = [(200, SSE, ready + first), refused]
        events = Market(self.server.url).events(types=["credits.loaded", "bond.slashed"])
        self.assertEqual(next(events)["id"], "evt_1")
        with self.assertRaises(MarketApiError):
            next(events)
        self.assertIn("type=credits.loaded&type=bond.slashed", self.server.seen[0][1])


class WebhookTest(unittest.TestCase):
    secret = "whsec_" + base64.b64encode(b"a secret of thirty-two bytes, ok").decode()
    other = "whsec_" + base64.b64encode(b"another secret of thirty-two byt").decode()
    body = '{"type":"credits.loaded","timestamp":"2026-11-02T00:00:00.000Z","data":{"credits":1}}'

    def headers(self, **changes):
        now = changes.pop("now", datetime.now(tz=timezone.utc))
        return {
            "Webhook-Id": "evt_1",
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": Webhook(self.secret).sign("evt_1", now, self.body),
            **changes,
        }

    def test_accepts_a_signed_request_with_either_secret_of_a_rotation(self):
        event = verify_webhook([self.other, self.secret], self.body.encode(), self.headers())
        self.assertEqual((event.id, event.body["data"]), ("evt_1", {"credits": 1}))

    @unittest.skipUnless(find_spec("cryptography"), "cryptography is not installed")
    def test_accepts_a_signature_of_ed25519_with_the_public_key_of_the_webhook(self):
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        pairs = [Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()]
        keys = ["whpk_" + base64.b64encode(pair.public_key().public_bytes_raw()).decode() for pair in pairs]
        headers = self.headers()
        signed = f"evt_1.{headers['webhook-timestamp']}.{self.body}".encode()
        headers["webhook-signature"] += " v1a," + base64.b64encode(pairs[0].sign(signed)).decode()
        self.assertEqual(verify_webhook(keys[0], self.body, headers).id, "evt_1")
        self.assertEqual(verify_webhook([keys[1], keys[0]], self.body, headers).id, "evt_1")
        self.assertEqual(verify_webhook([keys[1], self.secret], self.body, headers).id, "evt_1")
        stale = {**headers, "webhook-timestamp": "1"}
        without = {**headers, "webhook-signature": self.headers()["webhook-signature"]}
        broken = {**headers, "webhook-signature": "v1a,%"}
        cases = [(keys[1], headers), (keys[0], stale), (keys[0], without), (keys[0], broken), ("whpk_QQ==", headers)]
        for key, given in cases:
            with self.subTest(key=key, headers=given), self.assertRaises(WebhookVerificationError):
                verify_webhook(key, self.body, given)
        with self.assertRaises(WebhookVerificationError):
            verify_webhook(keys[0], self.body + " ", headers)

    def test_refuses_everything_else(self):
        old = datetime.now(tz=timezone.utc) - timedelta(minutes=6)
        without = self.headers()
        del without["webhook-signature"]
        cases = [
            (self.other, self.body, self.headers()),
            (self.secret, self.body + " ", self.headers()),
            (self.secret, self.body, self.headers(now=old)),
            (self.secret, self.body, without),
            (self.secret, self.body, self.headers(**{"webhook-signature": "v1,%"})),
            (self.secret, self.body, self.headers(**{"webhook-signature": "nonsense"})),
            (self.secret, self.body, self.headers(**{"webhook-timestamp": "nan"})),
            (self.secret, b"\xff", self.headers()),
        ]
        for secret, body, headers in cases:
            with self.subTest(body=body, headers=headers), self.assertRaises(WebhookVerificationError):
                verify_webhook(secret, body, headers)
        with self.assertRaises(ValueError):
            verify_webhook([], self.body, self.headers())

    def test_refuses_a_secret_that_is_no_base64_whatever_is_signed_with_it(self):
        wrong_secrets = ['"whsec_AAAA"', f'"{self.secret}"', "not base64!", "whsec_%%%%", "whsec_", "", "whsec_QQ=="]
        timestamp = self.headers()["webhook-timestamp"]
        signed = f"evt_1.{timestamp}.{self.body}".encode()
        for wrong in wrong_secrets:
            for key in [b"", b"\0", wrong.encode()]:
                signature = "v1," + base64.b64encode(hmac.new(key, signed, "sha256").digest()).decode()
                headers = self.headers(**{"webhook-signature": signature})
                for secrets in [wrong, [self.secret, wrong]]:
                    with self.subTest(secret=wrong), self.assertRaises(WebhookVerificationError):
                        verify_webhook(secrets, self.body, headers)


class MarketplaceTest(unittest.TestCase):
    """Against the marketplace that the environment names."""

    def setUp(self):
        self.market = Market(os.environ["MARKET_URL"], api_key=os.environ["MARKET_API_KEY"])
        self.addCleanup(self.market.close)

    def test_a_repeated_call_is_charged_once(self):
        agent = os.environ["AGENT"]
        key = f"python-{datetime.now().timestamp()}"
        first = self.market.invoke(agent, {"text": "a b"}, idempotency_key=key, max_cost_credits=9)
        again = self.market.invoke(agent, {"text": "a b"}, idempotency_key=key, max_cost_credits=9)
        self.assertEqual(first["invocation_id"], again["invocation_id"])
        other = self.market.invoke(agent, {"text": "a b"})
        self.assertNotEqual(first["invocation_id"], other["invocation_id"])

    def test_a_chat_yields_its_events_and_ends_with_what_it_cost(self):
        events = list(self.market.chat(os.environ["CHAT_AGENT"], "a b"))
        text = "".join(event["chunk"] for event in events if event["type"] == "output_chunk")
        self.assertEqual(text.split(), ["b", "a"])
        self.assertGreater(events[-1]["usage"]["credits_charged"], 0)

    def test_a_refused_input_says_which_field(self):
        with self.assertRaises(MarketApiError) as failed:
            self.market.invoke(os.environ["AGENT"], {"text": 5})
        self.assertEqual((failed.exception.status, failed.exception.code), (422, "input_schema_mismatch"))
        self.assertRegex(failed.exception.details[0]["msg"], "string")

    def test_the_calls_are_listed_from_page_to_page(self):
        self.market.invoke(os.environ["AGENT"], {"text": "a"})
        self.market.invoke(os.environ["AGENT"], {"text": "b"})
        calls = [call["invocation_id"] for call in self.market.iter_invocations(limit=1)]
        self.assertGreaterEqual(len(calls), 2)
        self.assertEqual(len(set(calls)), len(calls))
        self.assertEqual(self.market.get_invocation(calls[0])["invocation_id"], calls[0])

    def test_the_examples_of_the_readme_run(self):
        examples = re.findall(r"```python\n([\s\S]+?)```", README.read_text())
        self.assertGreaterEqual(len(examples), 4)
        for code in examples:
            exec(compile(code, str(README), "exec"), {"__name__": "example"})


if __name__ == "__main__":
    sys.exit(unittest.main())
