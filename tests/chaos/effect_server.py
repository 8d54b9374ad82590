"""The world outside: a server on which tools have an effect, once per idempotency key."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class EffectServer:
    """Records its requests. `asked`: requests by key, `receipts`: the response for each key."""

    slow: float
    random: random.Random
    url: str = ""
    asked: Counter[str] = field(default_factory=Counter)
    receipts: dict[str, str] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def told(self, key: str) -> str:
        """Perform the effect of this key once; a repetition gets the same receipt."""
        with self.lock:
            self.asked[key] += 1
            return self.receipts.setdefault(key, f"receipt {len(self.receipts) + 1}")

    @property
    def delay(self) -> float:
        with self.lock:
            return self.random.uniform(0, self.slow)

    @property
    def repeated(self) -> int:
        """Requests that were repeated because the worker died before the response."""
        return sum(self.asked.values()) - len(self.asked)


class Handler(BaseHTTPRequestHandler):
    effect_server: EffectServer

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        time.sleep(self.effect_server.delay)
        receipt = self.effect_server.told(self.headers["idempotency-key"])
        time.sleep(self.effect_server.delay)
        data = json.dumps({"receipt": receipt}).encode()
        try:
            self.send_response(200)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except ConnectionError:
            return  # the client was killed

    def log_message(self, format: str, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: object, client_address: object) -> None:
        """A killed process leaves half a request behind."""


@contextmanager
def effect_server(seed: int, slow: float) -> Iterator[EffectServer]:
    """Answers until the end of the block. `slow`: seconds at most before an effect, and after."""
    it = EffectServer(slow=slow, random=random.Random(seed))
    with Server(("127.0.0.1", 0), type("Here", (Handler,), {"effect_server": it})) as server:
        it.url = f"http://127.0.0.1:{server.server_port}/do"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield it
        server.shutdown()
        thread.join()
