"""An endpoint that speaks like OpenAI's, on loopback, and behaves as badly as it is told to."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from mnemic.llms.remote import RemoteLlm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Behaviour = Callable[["Request"], None]

KEY = "sk-very-secret-0123456789"


@dataclass(frozen=True)
class Received:
    """Hold what came in."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def has_schema(self) -> bool:
        return "json_schema" in self.body.get("response_format", {})


class Request(BaseHTTPRequestHandler):
    """Answer one request as the endpoint behaves next."""

    server: Endpoint
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append(Received(self.path, headers, self.body))
        with suppress(ConnectionError):
            (self.server.behaviours.pop(0) if self.server.behaviours else says("Hello."))(self)

    def reply(self, content: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        all_headers = {"content_length": str(len(content)), "content_type": "application/json", **headers}
        for name, value in all_headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


class Endpoint(ThreadingHTTPServer):
    """Say hello unless told otherwise."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Request)
        self.requests: list[Received] = []
        self.behaviours: list[Behaviour] = []
        self.waits: list[float] = []
        self.over = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of those who hang up."""

    def llm(self, **options: Any) -> RemoteLlm:
        return RemoteLlm("openai:tiny", **{"base_url": self.url, "key": KEY, "sleep": self.wait, **options})

    async def wait(self, seconds: float) -> None:
        self.waits.append(seconds)


@contextmanager
def serving() -> Iterator[Endpoint]:
    with Endpoint() as endpoint:
        thread = threading.Thread(target=endpoint.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield endpoint
        finally:
            endpoint.over.set()
            endpoint.shutdown()
            thread.join()


def completion(content: str | None, **changes: Any) -> dict[str, Any]:
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "tiny",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    } | changes


def says(content: str | None, **changes: Any) -> Behaviour:
    return sends(json.dumps(completion(content, **changes)).encode())


def sends(content: bytes, status: int = 200, **headers: str) -> Behaviour:
    return lambda request: request.reply(content, status, **headers)


def refuses(status: int, message: str = "no", **headers: str) -> Behaviour:
    return sends(json.dumps({"error": {"message": message, "type": "x", "code": None}}).encode(), status, **headers)


def sends_events(*events: dict[str, Any]) -> Behaviour:
    content = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return sends(content.encode(), content_type="text/event-stream")


def hangs(request: Request) -> None:
    request.server.over.wait(30)


def hangs_up(request: Request) -> None:
    request.close_connection = True


def streams(*pieces: str, ends: bool = True, cut: bool = False, hang: bool = False) -> Behaviour:
    """Send pieces as events; then hang, break the connection, or leave the last word out, when told to."""

    def behave(request: Request) -> None:
        request.send_response(200)
        request.send_header("content-type", "text/event-stream")
        request.send_header("transfer-encoding", "chunked")
        request.end_headers()
        for place, piece in enumerate(pieces):
            _event(request, {"delta": {"role": "assistant", "content": piece} if not place else {"content": piece}})
        if hang:
            hangs(request)
        if cut or hang:
            request.close_connection = True
            return
        if ends:
            _event(request, {"delta": {}, "finish_reason": "stop"})
            usage = {"prompt_tokens": 7, "completion_tokens": len(pieces), "total_tokens": 7 + len(pieces)}
            _chunk(request, json.dumps({**_HEAD, "choices": [], "usage": usage}))
            _chunk(request, "[DONE]")
        request.wfile.write(b"0\r\n\r\n")

    return behave


_HEAD = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "tiny"}


def _event(request: Request, choice: dict[str, Any]) -> None:
    _chunk(request, json.dumps({**_HEAD, "choices": [{"index": 0, "finish_reason": None, **choice}]}))


def _chunk(request: Request, data: str) -> None:
    content = f"data: {data}\n\n".encode()
    request.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
    request.wfile.flush()
