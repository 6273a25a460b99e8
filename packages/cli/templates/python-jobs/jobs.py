"""Calls whose answer may come later: each is worked on in a thread, and its answer is called back."""

from __future__ import annotations

import json
import threading
import time
import traceback
import uuid
from concurrent.futures import Future, TimeoutError as NotYet
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from standardwebhooks import Webhook

from agent import Report, work

# The marketplace takes 60 callbacks a minute for each call.
REPORT_EVERY_SECONDS = 2.0
REPEAT_AFTER_SECONDS = 5.0
POST_TIMEOUT_SECONDS = 30.0


class JobOver(Exception):
    """The call is over: its buyer has cancelled it, or its time has passed. Its work ends."""


@dataclass(frozen=True)
class Job:
    """`id` is that of the call, `callback_url` its header X-Callback-Url, `text` its input."""

    id: str
    callback_url: str
    text: str


class Jobs:
    """Keeps the jobs in progress in a folder, one file each, so that they begin again after a restart.

    Work that ends within `at_once` seconds is answered at once. It must be less than timeout_ms of the manifest.
    """

    def __init__(self, secret: str, folder: Path, at_once: float = 2.0) -> None:
        self._webhook = Webhook(secret)
        self._folder = folder
        self._at_once = at_once
        # By the id of the call, because the marketplace may send a call again.
        self._running: dict[str, Future[dict[str, Any]]] = {}
        self._taken: set[str] = set()
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)
        for file in folder.glob("*.json"):
            self._finish_later(Job(**json.loads(file.read_text())))

    def take(self, job: Job) -> dict[str, Any] | None:
        """Works on a call. Returns its output, or None when that takes longer: then it is called back."""
        output = self._begin(job)
        if job.id not in self._taken:
            try:
                return output.result(self._at_once)
            except NotYet:
                self._finish_later(job)
        return None

    def _begin(self, job: Job) -> Future[dict[str, Any]]:
        with self._lock:
            if job.id not in self._running:
                self._running[job.id] = Future()
                threading.Thread(target=self._work, args=[job, self._running[job.id]], daemon=True).start()
            return self._running[job.id]

    def _work(self, job: Job, output: Future[dict[str, Any]]) -> None:
        try:
            output.set_result(work(job.text, self._report_of(job)))
        except Exception as error:
            output.set_exception(error)
        finally:
            with self._lock:
                del self._running[job.id]

    def _report_of(self, job: Job) -> Report:
        reported_at = 0.0

        def report(progress: float, message: str) -> None:
            nonlocal reported_at
            if job.id not in self._taken or time.monotonic() - reported_at < REPORT_EVERY_SECONDS:
                return
            reported_at = time.monotonic()
            body = {"type": "progress", "progress": progress, "message": message}
            status, _ = self._post(job, body, f"msg_{uuid.uuid4()}")
            if status in (404, 409):
                raise JobOver

        return report

    def _finish_later(self, job: Job) -> None:
        """Keeps the job in its file, and calls its answer back when it is there."""
        with self._lock:
            if job.id in self._taken:
                return
            self._taken.add(job.id)
        # A file is written whole or not at all: its name is given last.
        file = self._folder / f"{job.id}.json"
        unfinished = file.with_suffix(".new")
        unfinished.write_text(json.dumps(asdict(job)))
        unfinished.replace(file)
        threading.Thread(target=self._finish, args=[job, file], daemon=True).start()

    def _finish(self, job: Job, file: Path) -> None:
        try:
            self._end(job, {"type": "answer", "output": self._begin(job).result()})
        except JobOver:
            pass
        except Exception:
            traceback.print_exc()
            self._end(job, {"type": "failure", "message": "the agent failed"})
        file.unlink(missing_ok=True)
        self._taken.discard(job.id)

    def _end(self, job: Job, message: dict[str, Any]) -> None:
        """Sends the end of a job until it is accepted or refused for good. The id stays, so that it counts once."""
        id = f"msg_{uuid.uuid4()}"
        while True:
            status, repeat_after = self._post(job, message, id)
            if 0 < status < 500 and status != 429:
                return
            time.sleep(repeat_after)

    def _post(self, job: Job, message: dict[str, Any], id: str) -> tuple[int, float]:
        """Sends a message once. Returns its status, 0 without a response, and after how many seconds to repeat it."""
        body = json.dumps(message)
        now = datetime.now(tz=timezone.utc)
        headers = {
            "content-type": "application/json",
            "webhook-id": id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": self._webhook.sign(id, now, body),
        }
        request = Request(job.callback_url, body.encode(), headers, method="POST")
        try:
            with urlopen(request, timeout=POST_TIMEOUT_SECONDS) as response:
                return response.status, 0.0
        except HTTPError as error:
            print(f"callback of {message['type']}: {error.code}", flush=True)
            with error:
                return error.code, float(error.headers.get("retry-after") or REPEAT_AFTER_SECONDS)
        except OSError as error:
            print(f"callback of {message['type']}: {error}", flush=True)
            return 0, REPEAT_AFTER_SECONDS
