import base64
import json
import socket
import threading
import unittest
import urllib.error
import urllib.request
from datetime import datetime, timezone

from standardwebhooks import Webhook

from agent import InvalidInput, answer
from server import create_server

SECRET = "whsec_" + base64.b64encode(b"a secret for this test alone").decode()

with open("manifest.json") as file:
    EXAMPLES = json.load(file)["examples"]


class AgentTest(unittest.TestCase):
    def test_examples(self):
        for example in EXAMPLES:
            self.assertEqual(answer(example["input"]), example["output"])

    def test_refuses_an_input_that_does_not_match_the_schema(self):
        with self.assertRaises(InvalidInput):
            answer({"text": 1})

    def start(self):
        server = create_server(SECRET, "127.0.0.1", 0)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def test_answers_signed_requests_and_refuses_others(self):
        server = self.start()
        url = f"http://127.0.0.1:{server.server_port}/invoke"
        body = json.dumps(EXAMPLES[0]["input"])
        now = datetime.now(tz=timezone.utc)
        headers = {
            "webhook-id": "inv_1",
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": Webhook(SECRET).sign("inv_1", now, body),
        }
        signed = urllib.request.Request(url, body.encode(), headers)
        with urllib.request.urlopen(signed) as response:
            self.assertEqual(json.load(response), EXAMPLES[0]["output"])
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(url, body.encode()))
        self.assertEqual(refused.exception.code, 401)
        refused.exception.close()

    def test_goes_on_after_half_a_request_and_refuses_a_wrong_length(self):
        server = self.start()
        cases = [
            (b"content-length: 1000", b"400"),
            (b"content-length: 99999999999", b"413"),
            (b"content-length: -1", b"411"),
            (b"content-length: x", b"411"),
            (b"transfer-encoding: chunked", b"411"),
        ]
        for header, status in cases:
            with socket.create_connection(("127.0.0.1", server.server_port)) as caller:
                caller.sendall(b"POST /invoke HTTP/1.1\r\nhost: agent\r\n" + header + b"\r\n\r\n{\"a")
                caller.shutdown(socket.SHUT_WR)
                self.assertIn(status, caller.recv(100).split(b"\r\n")[0])
        with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/health") as response:
            self.assertEqual(response.status, 200)

    def test_needs_a_secret_of_the_marketplace(self):
        for secret in ["", "whsec_", '"whsec_AAAA"', "whsec_not base64!"]:
            with self.assertRaises(ValueError):
                create_server(secret, "127.0.0.1", 0)


if __name__ == "__main__":
    unittest.main()
