"""Both clients against a server that limits, cuts, delays and lies."""

import asyncio
import json
import os
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import anyio

from agent_marketplace import AsyncMarket, Market, MarketApiError

JSON = {"content-type": "application/json"}
SSE = {"content-type": "text/event-stream"}
HTML = {"content-type": "text/html"}
OK = (200, JSON, b'{"output": 1}')
CUT = (200, {**JSON, "content-length": "1000"}, b'{"output":')
CUT_CHUNK = (200, {**JSON, "transfer-encoding": "chunked"}, b'a\r\n{"output":\r\n')
PROXY_PAGE = (200, HTML, b"<h1>Please log in</h1>")
BAD_GATEWAY = (502, HTML, b"<h1>502</h1>")
DOWN = (503, {**JSON, "retry-after": "0"}, b"{}")
LATE = (504, JSON, b'{"error": {"code": "agent_timeout", "message": "Late.", "retryable": true}}')
SILENT = None
CHUNK = b'data: {"type":"output_chunk","chunk":"a"}\n\n'


def call(status):
    return 200, JSON, json.dumps({"invocation_id": "inv_1", "status": status}).encode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.seen.append((self.headers.get("idempotency-key"), self.headers.get("last-event-id")))
        self.server.owners.append(self.headers.get("x-owner"))
        self.server.asked.append(f"{self.command} {self.path} {self.headers.get('prefer', '')}".strip())
        given = self.server.answers.pop(0)
        self.close_connection = True
        if given is SILENT:
            self.server.over.wait(20)
            return
        status, headers, body, *wait = given
        self.send_response(status)
        for name, value in {"connection": "close", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
        if wait:
            self.server.over.wait(20)

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, *_):
        pass


def blocking(url, work, **options):
    with Market(url, **options) as market:
        return work(market)


class Waited:
    """The blocking face of the asynchronous client."""

    def __init__(self, runner, market):
        self._runner, self._market = runner, market

    def __getattr__(self, name):
        method = getattr(self._market, name)
        if not callable(method):
            return Waited(self._runner, method)

        def call(*args, **options):
            result = method(*args, **options)
            return self._each(result) if hasattr(result, "__anext__") else self._runner(result)

        return call

    def _each(self, iterator):
        try:
            while True:
                try:
                    yield self._runner(iterator.__anext__())
                except StopAsyncIteration:
                    return
        finally:
            self._runner(iterator.aclose())


def asynchronous(url, work, **options):
    loop = asyncio.new_event_loop()
    market = AsyncMarket(url, **options)
    try:
        return work(Waited(loop.run_until_complete, market))
    finally:
        loop.run_until_complete(market.close())
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


class Rules:
    def setUp(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.answers, self.server.seen, self.server.asked, self.server.over = [], [], [], threading.Event()
        self.server.owners = []
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def tearDown(self):
        self.server.over.set()
        self.server.shutdown()
        self.server.server_close()

    def run_with(self, work, **options):
        return type(self).client(self.url, work, **options)

    def failure(self, work, **options):
        with self.assertRaises(MarketApiError) as failed:
            self.run_with(work, **options)
        return failed.exception

    def test_repeats_a_call_with_its_key_after_an_answer_that_is_not_whole(self):
        for answer in (CUT, CUT_CHUNK, PROXY_PAGE, BAD_GATEWAY, DOWN):
            with self.subTest(answer=answer):
                self.server.answers, self.server.seen = [answer, OK], []
                result = self.run_with(lambda market: market.invoke("agt_x_v1", {}))
                keys = {key for key, _ in self.server.seen}
                self.assertEqual((result, len(self.server.seen), len(keys)), ({"output": 1}, 2, 1))
                self.assertIsNotNone(keys.pop())

    def test_sends_the_owner_with_every_request(self):
        self.server.answers = [OK, OK]
        self.run_with(lambda market: (market.get_balance(), market.invoke("agt_x_v1", {})), owner="org_1")
        self.assertEqual(self.server.owners, ["org_1", "org_1"])

    def test_leaves_requests_alone_that_could_have_an_effect_twice(self):
        for answer in (CUT, PROXY_PAGE, DOWN):
            with self.subTest(answer=answer):
                self.server.answers, self.server.seen = [answer], []
                body = {"name": "a key", "scopes": ["agents:read"]}
                error = self.failure(lambda market: market.create_key(body))
                self.assertEqual((error.idempotency_key, len(self.server.seen)), (None, 1))

    def test_every_failure_of_the_connection_has_the_key_of_the_call(self):
        for answer, reason in ((CUT, "cannot be reached"), (CUT_CHUNK, "cannot be reached"), (PROXY_PAGE, "no JSON")):
            with self.subTest(answer=answer):
                self.server.answers, self.server.seen = [answer, answer], []
                error = self.failure(lambda market: market.invoke("agt_x_v1", {}), max_retries=1)
                self.assertEqual((error.status, error.code, error.retryable), (0, "unreachable", True))
                self.assertIn(reason, error.message)
                self.assertEqual(error.idempotency_key, self.server.seen[0][0])

    def test_leaves_the_refusal_of_the_marketplace_to_the_caller_with_the_key(self):
        self.server.answers = [LATE]
        error = self.failure(lambda market: market.invoke("agt_x_v1", {}))
        self.assertEqual((error.status, error.code, len(self.server.seen)), (504, "agent_timeout", 1))
        self.assertEqual(error.idempotency_key, self.server.seen[0][0])

    def test_limits_an_attempt(self):
        for answer in (SILENT, (200, {**JSON, "content-length": "9"}, b"{", True)):
            with self.subTest(answer=answer):
                self.server.answers, self.server.seen = [answer, answer], []
                error = self.failure(lambda market: market.invoke("agt_x_v1", {}, timeout=0.2), max_retries=1)
                self.assertEqual((error.code, error.status, len(self.server.seen)), ("timeout", 0, 2))
                self.assertIn("within 0.2 s", error.message)
                self.assertEqual(error.idempotency_key, self.server.seen[0][0])

    def test_limits_all_attempts_and_waits(self):
        self.server.answers = [SILENT] * 20
        begun = time.monotonic()
        limits = {"timeout": 0.1, "total_timeout": 0.5, "max_retries": 19}
        self.assertEqual(self.failure(lambda market: market.get_balance(), **limits).code, "timeout")
        self.assertLess(time.monotonic() - begun, 10)
        self.assertLess(len(self.server.seen), 6)
        with self.assertRaises(ValueError):
            self.run_with(lambda market: None, timeout=0)

    def test_a_stream_that_ends_early_has_the_key_of_its_turn(self):
        for body in (CHUNK, CHUNK + b'data: {"ty\n\n'):
            with self.subTest(body=body):
                self.server.answers, received = [(200, SSE, body)], []

                def follow(market):
                    for event in market.chat("agt_x_v1", "Hi", idempotency_key="turn-1"):
                        received.append(event)

                error = self.failure(follow)
                self.assertEqual((error.code, error.idempotency_key, len(received)), ("unreachable", "turn-1", 1))

    def test_a_silent_stream_ends_with_an_error(self):
        self.server.answers = [(200, SSE, CHUNK, True)]
        error = self.failure(lambda market: list(market.chat("agt_x_v1", "Hi", timeout=0.2)))
        self.assertEqual(error.code, "timeout")

    def test_events_resume_behind_the_last_one(self):
        event = b'id: %d\ndata: {"id":"evt_%d","type":"credits.loaded","timestamp":"t","data":{"credits":1}}\n\n'
        refused = {"error": {"code": "insufficient_scope", "message": "No.", "retryable": False}}
        ready = b'event: ready\ndata: {"complete":true}\n\n'
        self.server.answers = [(200, SSE, ready + event % (7, 7)), (403, JSON, json.dumps(refused).encode())]
        seen = []

        def follow(market):
            for each in market.events(types=["credits.loaded"]):
                seen.append(each["id"])

        self.assertEqual(self.failure(follow).code, "insufficient_scope")
        self.assertEqual((seen, [position for _, position in self.server.seen]), (["evt_7"], [None, "7"]))

    def test_a_wait_asks_again_until_the_call_has_ended(self):
        self.server.answers = [call("pending"), DOWN, call("running"), call("failed")]
        begun = time.monotonic()
        ended = self.run_with(lambda market: market.jobs.wait("inv_1"))
        self.assertEqual(ended["status"], "failed")
        self.assertGreaterEqual(time.monotonic() - begun, 2)
        self.assertEqual(self.server.asked, ["GET /v1/invocations/inv_1?wait=60"] * 4)

    def test_a_wait_gives_each_question_to_its_caller(self):
        def asks(question):
            body = {"invocation_id": "inv_1", "status": "running", "job": {"question": {"question_id": question}}}
            return 200, JSON, json.dumps(body).encode()

        late = (409, JSON, b'{"error": {"code": "invalid_state", "message": "Late.", "retryable": false}}')
        self.server.answers = [asks("a"), call("running"), asks("b"), late, asks("b"), call("succeeded")]
        asked = []

        def on_question(question, _call):
            asked.append(question["question_id"])
            return {"of": question["question_id"]}

        ended = self.run_with(lambda market: market.invocations.wait("inv_1", on_question=on_question))
        self.assertEqual((ended["status"], asked), ("succeeded", ["a", "b"]))
        wait, post = "GET /v1/invocations/inv_1?wait=60&known_question=", "POST /v1/invocations/inv_1/input"
        self.assertEqual(self.server.asked, [wait, post, f"{wait}a", post, f"{wait}b", f"{wait}b"])

    def test_a_wait_asks_for_what_its_limits_allow(self):
        for limits, seconds in (({"timeout": 10}, 5), ({"total_timeout": 3.5}, 3), ({"timeout": 0.1}, 1)):
            with self.subTest(limits=limits):
                self.server.answers, self.server.asked = [call("succeeded")], []
                self.run_with(lambda market: market.invocations.wait("inv_1", **limits))
                self.assertEqual(self.server.asked, [f"GET /v1/invocations/inv_1?wait={seconds}"])

    def test_a_wait_ends_with_an_error_when_its_time_is_over(self):
        self.server.answers = [SILENT] * 9
        error = self.failure(lambda market: market.invocations.wait("inv_1", total_timeout=0.3))
        self.assertEqual((error.code, error.retryable, error.invocation_id), ("timeout", True, "inv_1"))
        self.assertEqual(error.message, "The call inv_1 has not ended within 0.3 s. It goes on.")

    def test_a_call_that_became_a_job_is_awaited(self):
        begun = (202, *call("running")[1:])
        done = {"output": 1, "usage": {}, "trace_id": "t", "invocation_id": "inv_1"}
        ended = {**done, "status": "succeeded", "error": None, "version": "1.0.0"}
        self.server.answers = [begun, (200, JSON, json.dumps(ended).encode())]
        self.assertEqual(self.run_with(lambda market: market.invoke("agt_x_v1", {})), done)
        error = {"code": "agent_error", "message": "It broke.", "retryable": False}
        failed = {**ended, "status": "failed", "output": None, "error": error}
        self.server.answers = [begun, (200, JSON, json.dumps(failed).encode())]
        raised = self.failure(lambda market: market.invoke("agt_x_v1", {}))
        self.assertEqual((str(raised), raised.invocation_id), ("It broke. (agent_error)", "inv_1"))

    def test_a_call_begins_with_a_key_and_one_that_had_ended_has_its_answer(self):
        result = (200, JSON, b'{"output": 1, "usage": {}, "trace_id": "t", "invocation_id": "inv_1"}')
        self.server.answers = [DOWN, result, call("succeeded"), call("running"), call("failed")]
        started = self.run_with(lambda market: market.invocations.start("agt_x_v1", {}, max_cost_credits=3))
        self.assertEqual(started, {"invocation_id": "inv_1", "status": "succeeded", "output": 1})
        keys = [key for key, _ in self.server.seen[:2]]
        self.assertEqual(len(set(keys)), 1)
        self.assertIsNotNone(keys[0])
        running = self.run_with(lambda market: market.invocations.start("agt_x_v1", {}))
        self.assertEqual(running["status"], "running")
        canceled = self.run_with(lambda market: market.invocations.cancel("inv_1"))
        self.assertEqual(canceled["status"], "failed")
        invoked = "POST /v1/agents/agt_x_v1/invoke respond-async"
        own = "/v1/invocations/inv_1"
        self.assertEqual(self.server.asked, [invoked, invoked, f"GET {own}", invoked, f"DELETE {own}"])


class BlockingTest(Rules, unittest.TestCase):
    client = staticmethod(blocking)


class AsynchronousTest(Rules, unittest.TestCase):
    client = staticmethod(asynchronous)


class AsyncMarketplaceTest(unittest.TestCase):
    """The asynchronous client against the marketplace that the environment names, in both kinds of event loop."""

    def test_calls_pages_and_chats_run_side_by_side(self):
        async def main():
            async with AsyncMarket(os.environ["MARKET_URL"], api_key=os.environ["MARKET_API_KEY"]) as market:
                words = {}

                async def count(text):
                    words[text] = (await market.invoke(os.environ["AGENT"], {"text": text}))["output"]["words"]

                async with anyio.create_task_group() as group:
                    for text in ("a", "a b", "a b c"):
                        group.start_soon(count, text)
                self.assertEqual(words, {"a": 1, "a b": 2, "a b c": 3})
                calls = [call["invocation_id"] async for call in market.iter_invocations(limit=2)]
                self.assertEqual(len(set(calls)), len(calls))
                self.assertGreaterEqual(len(calls), 3)
                events = [event async for event in market.chat(os.environ["CHAT_AGENT"], "a b")]
                self.assertEqual(events[-1]["type"], "done")

        anyio.run(main)


if __name__ == "__main__":
    unittest.main()
