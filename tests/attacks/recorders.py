"""Servers that let no client in, and keep every credential that one offers them."""

from __future__ import annotations

import hashlib
import os
import struct
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import StreamRequestHandler, TCPServer

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

SERVICE, ACCEPTED, KEX_INIT, NEW_KEYS, KEX_REPLY, ATTEMPT, FAILED = 5, 6, 20, 21, 31, 50, 51
"""Kinds of messages, as in RFC 4250."""
USES = (b"A", b"B", b"C", b"D")
"""Of the derived values: the first nonces, then the keys, of the client and of the server."""


class HttpRecorder(HTTPServer):
    """`sent`: the headers with a credential; `leads_to`: where it redirects."""

    wants = 'Basic realm="packs"'

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _HttpAnswer)
        self.sent: list[str] = []
        self.asked = 0
        self.leads_to = ""
        self.url = f"http://127.0.0.1:{self.server_port}/team/packs.git"


class _HttpAnswer(BaseHTTPRequestHandler):
    server: HttpRecorder

    def do_GET(self) -> None:
        names = ("Authorization", "Cookie", "Proxy-Authorization")
        self.server.sent += [value for name in names for value in self.headers.get_all(name, [])]
        self.server.asked += 1
        self.send_response(302 if self.server.leads_to else 401)
        self.send_header("Location", self.server.leads_to + self.path)
        self.send_header("WWW-Authenticate", self.server.wants)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


class TicketRecorder(HttpRecorder):
    """Wants a Kerberos ticket."""

    wants = "Negotiate"


class SshRecorder(TCPServer):
    """SSH with one algorithm of each kind, up to the sign-in. `sent`: the public keys that a client
    offered, and the names of the other methods that it tried."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _SshAnswer)
        self.sent: list[bytes] = []
        self.url = f"ssh://git@127.0.0.1:{self.server_address[1]}/team/packs.git"


class _SshAnswer(StreamRequestHandler):
    server: SshRecorder
    keys: tuple[AESGCM, AESGCM] | None = None

    def handle(self) -> None:
        with suppress(EOFError, ConnectionError):
            self._exchange_keys()
            while True:
                kind, rest = self._receive()
                if kind == SERVICE:
                    self._send(ACCEPTED, rest)
                elif kind == ATTEMPT:
                    _, rest = _first(rest)  # The user.
                    _, rest = _first(rest)  # The service.
                    method, rest = _first(rest)
                    if method == b"publickey":  # A flag and an algorithm come before the key.
                        method, _ = _first(_first(rest[1:])[1])
                    if method != b"none":
                        self.server.sent.append(method)
                    methods = b"gssapi-with-mic,hostbased,publickey,keyboard-interactive,password"
                    self._send(FAILED, _string(methods) + b"\0")

    def _exchange_keys(self) -> None:
        self.wfile.write(b"SSH-2.0-recorder\r\n")
        theirs = self.rfile.readline().rstrip()
        lists = [b"curve25519-sha256", b"ssh-ed25519", *[b"aes256-gcm@openssh.com"] * 2]
        lists += [*[b"hmac-sha2-256"] * 2, *[b"none"] * 2, b"", b""]
        ours = os.urandom(16) + b"".join(map(_string, lists)) + bytes(5)
        self._send(KEX_INIT, ours)
        _, wanted = self._receive()
        _, point = self._receive()
        own, host = X25519PrivateKey.generate(), Ed25519PrivateKey.generate()
        shared = own.exchange(X25519PublicKey.from_public_bytes(point[4:])).lstrip(b"\0")
        secret = _string(b"\0" * (shared[0] >> 7) + shared)
        public = own.public_key().public_bytes_raw()
        name = _string(b"ssh-ed25519")
        host_key = name + _string(host.public_key().public_bytes_raw())
        parts = (theirs, b"SSH-2.0-recorder", bytes([KEX_INIT]) + wanted, bytes([KEX_INIT]) + ours)
        said = b"".join(map(_string, (*parts, host_key, point[4:], public))) + secret
        hashed = hashlib.sha256(said).digest()
        signature = name + _string(host.sign(hashed))
        self._send(KEX_REPLY, b"".join(map(_string, (host_key, public, signature))))
        self._send(NEW_KEYS, b"")
        self._receive()
        made = [hashlib.sha256(secret + hashed + use + hashed).digest() for use in USES]
        self.nonces = [int.from_bytes(one[:12], "big") for one in made[:2]]
        self.keys = AESGCM(made[2]), AESGCM(made[3])

    def _send(self, kind: int, rest: bytes) -> None:
        block, first = (16, 1) if self.keys else (8, 5)
        padding = 4 + -(first + 1 + len(rest) + 4) % block
        body = bytes([padding, kind]) + rest + bytes(padding)
        length = struct.pack(">I", len(body))
        if self.keys:
            body = self.keys[1].encrypt(self._nonce(1), body, length)
        self.wfile.write(length + body)

    def _receive(self) -> tuple[int, bytes]:
        length = self._read(4)
        body = self._read(int.from_bytes(length, "big") + (16 if self.keys else 0))
        if self.keys:
            body = self.keys[0].decrypt(self._nonce(0), body, length)
        return body[1], body[2 : len(body) - body[0]]

    def _read(self, size: int) -> bytes:
        data = self.rfile.read(size)
        if len(data) < size:
            raise EOFError
        return data

    def _nonce(self, direction: int) -> bytes:
        value = self.nonces[direction]
        self.nonces[direction] += 1
        return value.to_bytes(12, "big")


def _string(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def _first(data: bytes) -> tuple[bytes, bytes]:
    """The first string of these bytes, and what follows it."""
    end = 4 + int.from_bytes(data[:4], "big")
    return data[4:end], data[end:]
