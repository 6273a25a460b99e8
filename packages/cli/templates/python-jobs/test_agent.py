from __future__ import annotations

import base64
import json
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable

from standardwebhooks import Webhook

from agent import InvalidInput, read_input, work
from jobs import Job, Jobs
from server import create_server

SECRET = "whsec_" + base64.b64encode(b"a secret for this test alone").decode()
LONG = "one\ntwo three\nfour five six"
LONG_OUTPUT = {"words": 6}

with open("manifest.json") as file:
    EXAMPLES = json.load(file)["examples"]


class Marketplace(BaseHTTPRequestHandler):
    """Stands for the marketplace: takes callbacks with a valid signature."""

    messages: list[dict[str, Any]]
    # Statuses of the next responses, by the type of the message; 202 when none is left.
    statuses: dict[str, list[int]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        Webhook(SECRET).verify(body, {name.lower(): value for name, value in self.headers.items()})
        message = json.loads(body)
        statuses = self.statuses.get(message["type"])
        self.send_response(statuses.pop(0) if statuses else 202)
        self.send_header("retry-after", "0")
        self.send_header("content-length", "0")
        self.end_headers()
        self.messages.append(message)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)


def unreported(progress: float, message: str) -> None:
    pass


class AgentTest(unittest.TestCase):
    def serve(self, server: ThreadingHTTPServer) -> str:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}"

    def marketplace(self, **statuses: list[int]) -> tuple[str, list[dict[str, Any]]]:
        messages: list[dict[str, Any]] = []
        handler = type("Messages", (Marketplace,), {"messages": messages, "statuses": statuses})
        url = self.serve(ThreadingHTTPServer(("127.0.0.1", 0), handler))
        return f"{url}/v1/callbacks/inv_1/token", messages

    def folder(self) -> Path:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Path(folder.name)

    def call(self, url: str, given: object, callback_url: str) -> tuple[int, Any]:
        body = json.dumps(given)
        now = datetime.now(tz=timezone.utc)
        headers = {
            "webhook-id": "inv_1",
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": Webhook(SECRET).sign("inv_1", now, body),
            "x-callback-url": callback_url,
        }
        request = urllib.request.Request(f"{url}/invoke", body.encode(), headers)
        with urllib.request.urlopen(request) as response:
            return response.status, json.load(response)

    def test_examples(self) -> None:
        for example in EXAMPLES:
            self.assertEqual(work(read_input(example["input"]), unreported), example["output"])

    def test_refuses_an_input_that_does_not_match_the_schema(self) -> None:
        with self.assertRaises(InvalidInput):
            read_input({"text": 1})

    def test_answers_short_work_at_once_and_refuses_requests_without_a_signature(self) -> None:
        url = self.serve(create_server(SECRET, Jobs(SECRET, self.folder()), "127.0.0.1", 0))
        answered = self.call(url, {"text": "to be"}, "http://127.0.0.1:9/unused")
        self.assertEqual(answered, (200, {"words": 2}))
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(f"{url}/invoke", b"{}"))
        self.assertEqual(refused.exception.code, 401)
        refused.exception.close()

    def test_takes_long_work_once_and_calls_back_until_the_answer_is_accepted(self) -> None:
        callback_url, messages = self.marketplace(answer=[503])
        folder = self.folder()
        jobs = Jobs(SECRET, folder, at_once=0.05)
        url = self.serve(create_server(SECRET, jobs, "127.0.0.1", 0))
        for _ in range(2):
            self.assertEqual(self.call(url, {"text": LONG}, callback_url)[0], 202)
        self.assertEqual([file.name for file in folder.iterdir()], ["inv_1.json"])
        until(lambda: not list(folder.iterdir()))
        self.assertEqual(messages[0]["type"], "progress")
        answer = {"type": "answer", "output": LONG_OUTPUT}
        self.assertEqual([m for m in messages if m["type"] != "progress"], [answer, answer])

    def test_works_again_on_jobs_that_a_restart_has_interrupted(self) -> None:
        callback_url, messages = self.marketplace()
        folder = self.folder()
        job = {"id": "inv_1", "callback_url": callback_url, "text": LONG}
        (folder / "inv_1.json").write_text(json.dumps(job))
        Jobs(SECRET, folder)
        until(lambda: not list(folder.iterdir()))
        self.assertEqual(messages[-1], {"type": "answer", "output": LONG_OUTPUT})

    def test_stops_work_whose_buyer_has_cancelled(self) -> None:
        callback_url, messages = self.marketplace(progress=[409])
        folder = self.folder()
        job = Job("inv_1", callback_url, "a\n" * 1000)
        self.assertIsNone(Jobs(SECRET, folder, at_once=0.05).take(job))
        until(lambda: not list(folder.iterdir()))
        self.assertEqual([message["type"] for message in messages], ["progress"])


if __name__ == "__main__":
    unittest.main()
