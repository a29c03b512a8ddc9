"""The Connect protocol as the Prime client speaks it: enveloped protobuf messages, one request, a stream of answers."""

from __future__ import annotations

import json
import struct
from http.server import BaseHTTPRequestHandler

from prime_sandboxes._proto.command_session import command_session_pb2 as messages

END_OF_STREAM = 0x02
PIECE_BYTES = 1 << 20


def read_body(handler: BaseHTTPRequestHandler) -> bytes:
    """The request's body; the client sends commands in chunks."""
    if handler.headers.get("Transfer-Encoding", "").lower() != "chunked":
        return handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
    body = bytearray()
    while size := int(handler.rfile.readline().split(b";")[0], 16):
        body += handler.rfile.read(size)
        handler.rfile.readline()
    while handler.rfile.readline().strip():  # trailers
        pass
    return bytes(body)


def command_of(body: bytes) -> str:
    """The shell's words in the envelope of a StartRequest."""
    _, size = struct.unpack(">BI", body[:5])
    request = messages.StartRequest.FromString(body[5 : 5 + size])
    assert request.command.cmd == "/bin/bash"
    assert request.command.args[0] == "-c"
    return str(request.command.args[1])


class Stream:
    """A streamed answer, written as it comes."""

    def __init__(self, handler: BaseHTTPRequestHandler) -> None:
        self._handler = handler
        handler.send_response(200)
        handler.send_header("Content-Type", "application/connect+proto")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()

    def start(self, pid: int) -> None:
        self._event(start={"pid": pid})

    def output(self, name: str, data: bytes) -> None:
        for begin in range(0, len(data), PIECE_BYTES):
            self._event(data={name: data[begin : begin + PIECE_BYTES]})

    def end(self, exit_code: int) -> None:
        self._event(end={"exit_code": exit_code})
        self._envelope(END_OF_STREAM, b"{}")
        self._chunk(b"")

    def error(self, code: str, message: str) -> None:
        self._envelope(END_OF_STREAM, json.dumps({"error": {"code": code, "message": message}}).encode())
        self._chunk(b"")

    def _event(self, **event: dict[str, object]) -> None:
        response = messages.StartResponse()
        for kind, values in event.items():
            part = getattr(response.event, kind)
            for name, value in values.items():
                setattr(part, name, value)
        self._envelope(0, response.SerializeToString())

    def _envelope(self, flag: int, data: bytes) -> None:
        self._chunk(struct.pack(">BI", flag, len(data)) + data)

    def _chunk(self, data: bytes) -> None:
        self._handler.wfile.write(b"%x\r\n" % len(data) + data + b"\r\n")
        self._handler.wfile.flush()
