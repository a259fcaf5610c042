"""The endpoint as the embedder, against a real server that misbehaves"""

from __future__ import annotations

import json
import logging
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mnemic.embedders import remote
from mnemic.embedders.remote import RemoteEmbedder
from mnemic.errors import InvalidInput, ModelMissing, ModelUnavailable
from mnemic.settings import load
from mnemic.wiring import embedder_from

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
    def texts(self) -> list[str]:
        found: list[str] = self.body["input"]
        return found


class Request(BaseHTTPRequestHandler):
    """Answer one request as the endpoint behaves next."""

    server: Endpoint
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.texts: list[str] = body["input"]
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append(Received(self.path, headers, body))
        with suppress(ConnectionError):
            (self.server.behaviours.pop(0) if self.server.behaviours else well)(self)

    def reply(self, content: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content-length": str(len(content)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


class Endpoint(ThreadingHTTPServer):
    """Answer well unless told otherwise."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Request)
        self.requests: list[Received] = []
        self.behaviours: list[Behaviour] = []
        self.waits: list[float] = []
        self.over = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"

    def embedder(self, **options: Any) -> RemoteEmbedder:
        return RemoteEmbedder(self.url, "tiny", **{"dimension": 3, "sleep": self.waits.append, **options})


def vector(text: str) -> list[float]:
    return [len(text), text.count("a"), 1.0]


def items(texts: list[str]) -> list[dict[str, Any]]:
    return [{"index": index, "embedding": vector(text)} for index, text in enumerate(texts)]


def well(request: Request) -> None:
    request.reply(json.dumps({"data": items(request.texts)}).encode())


def sends(content: bytes, status: int = 200, **headers: str) -> Behaviour:
    return lambda request: request.reply(content, status, **headers)


def sends_data(*embeddings: Any) -> Behaviour:
    return sends(json.dumps({"data": [{"index": i, "embedding": e} for i, e in enumerate(embeddings)]}).encode())


def unit(*vectors: list[float]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([np.array(v) / np.linalg.norm(v) for v in vectors])


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Endpoint() as endpoint:
        thread = threading.Thread(target=endpoint.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield endpoint
        endpoint.over.set()
        endpoint.shutdown()
        thread.join()


def test_rows_are_unit_vectors_in_the_order_of_the_texts(endpoint: Endpoint) -> None:
    with endpoint.embedder() as embedder:
        rows = embedder.embed(["banana", "fig"])
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows, unit(vector("banana"), vector("fig")), atol=1e-6)
    assert endpoint.requests[0].path == "/v1/embeddings"
    assert endpoint.requests[0].body == {"model": "tiny", "input": ["banana", "fig"], "encoding_format": "float"}


def test_shuffled_answers_are_put_in_order(endpoint: Endpoint) -> None:
    endpoint.behaviours = [
        lambda request: request.reply(json.dumps({"data": items(request.texts)[::-1]}).encode()),
    ]
    with endpoint.embedder() as embedder:
        np.testing.assert_allclose(embedder.embed(["banana", "fig"]), unit(vector("banana"), vector("fig")), atol=1e-6)


def test_a_request_holds_no_more_texts_than_the_batch_size(endpoint: Endpoint) -> None:
    texts = ["a" * n for n in range(1, 11)]
    with endpoint.embedder(batch_size=4) as embedder:
        np.testing.assert_allclose(embedder.embed(texts), unit(*map(vector, texts)), atol=1e-6)
    assert [len(request.texts) for request in endpoint.requests] == [4, 4, 2]


def test_a_request_stays_small_when_texts_are_long(endpoint: Endpoint) -> None:
    with endpoint.embedder() as embedder:
        embedder.embed(["a" * 5000] * 60)
    assert [len("".join(request.texts)) for request in endpoint.requests] == [100_000] * 3


def test_a_long_text_is_averaged_over_windows(endpoint: Endpoint) -> None:
    with endpoint.embedder() as embedder:
        [row] = embedder.embed(["a" * remote.WINDOW + "b" * 2000])
    assert [len(text) for text in endpoint.requests[0].texts] == [remote.WINDOW, 2000]
    first, second = unit(vector("a" * remote.WINDOW), vector("b" * 2000))
    np.testing.assert_allclose(row, unit(list(3 * first + second))[0], atol=1e-6)


def test_blank_texts_are_not_sent_and_get_zeros(endpoint: Endpoint) -> None:
    with endpoint.embedder() as embedder:
        rows = embedder.embed(["", "fig", " \n"])
    assert endpoint.requests[0].texts == ["fig"]
    assert rows.any(axis=1).tolist() == [False, True, False]


def test_a_lone_surrogate_is_sent_as_a_question_mark(endpoint: Endpoint) -> None:
    with endpoint.embedder() as embedder:
        embedder.embed(["fig\ud800"])
    assert endpoint.requests[0].texts == ["fig?"]


def test_huge_numbers_still_make_a_unit_row(endpoint: Endpoint) -> None:
    endpoint.behaviours = [sends_data([1e308, 0, 1e308])]
    with endpoint.embedder() as embedder:
        np.testing.assert_allclose(embedder.embed(["fig"]), unit([1, 0, 1]), atol=1e-6)


def test_the_dimension_is_learned_once(endpoint: Endpoint) -> None:
    with endpoint.embedder(dimension=None) as embedder:
        assert (embedder.dimension, embedder.dimension) == (3, 3)
        assert len(endpoint.requests) == 1
        endpoint.behaviours = [sends_data([1.0, 2.0])]
        with pytest.raises(ModelUnavailable, match="2 numbers instead of 3"):
            embedder.embed(["fig"])


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        (sends_data([1, 2, 3]), "asked for 2 embeddings and sent 1"),
        (sends_data([1, 2, 3], [1, 2, 3], [1, 2, 3]), "asked for 2 embeddings and sent 3"),
        (sends(b'{"data": [{"index": 1, "embedding": [1]}, {"index": 1, "embedding": [1]}]}'), "numbered .* wrongly"),
        (sends(b'{"data": [{"embedding": [1]}, {"embedding": [1]}]}'), "list of embeddings"),
        (sends_data([1, 2, 3], [1, float("nan"), 3]), "finite"),
        (sends_data([1, 2, 3], [1, float("inf"), 3]), "finite"),
        (sends_data([1, 2, 3], [1, None, 3]), "finite"),
        (sends_data([1, 2, 3], ["1", "2", "3"]), "finite"),
        (sends_data([[1, 2, 3]], [[1, 2, 3]]), "finite"),
        (sends_data("AACAPwAAAEA=", "AACAPwAAAEA="), "finite"),
        (sends_data([1, 2, 3], [1, 2]), "list of embeddings"),
        (sends_data([1, 2], [1, 2]), "2 numbers instead of 3"),
        (sends_data([1, 2, 3], [0, 0, 0]), "zeros"),
        (sends_data([], []), "finite|0 numbers"),
        (sends(b"<html>It works!</html>"), "JSON"),
        (sends(b""), "JSON"),
        (sends(b"[" * 100_000), "JSON"),
        (sends(b"\xff\xfe"), "JSON"),
        (sends(b"[]"), "JSON"),
        (sends(b'{"error": "no"}'), "JSON"),
        (sends(b" " * 2_000_001), "more than 2,000,000 bytes"),
        (sends(b"no such model", 404), "answered 404: no such model"),
        (sends(b"bad key", 401), "answered 401: bad key"),
        (sends(b"too long", 400, retry_after="1"), "answered 400: too long"),
        (sends(b"", 204), "answered 204"),
    ],
)
def test_a_wrong_answer_is_refused_at_once(endpoint: Endpoint, behaviour: Behaviour, problem: str) -> None:
    endpoint.behaviours = [behaviour]
    with endpoint.embedder() as embedder, pytest.raises(ModelUnavailable, match=problem):
        embedder.embed(["banana", "fig"])
    assert (len(endpoint.requests), endpoint.waits) == (1, [])


def test_a_redirect_is_not_followed(endpoint: Endpoint) -> None:
    endpoint.behaviours = [sends(b"", 307, location=f"{endpoint.url}/elsewhere")]
    with endpoint.embedder() as embedder, pytest.raises(ModelUnavailable, match="redirects are not followed"):
        embedder.embed(["fig"])
    assert len(endpoint.requests) == 1


def hangs(request: Request) -> None:
    request.server.over.wait(10)
    request.close_connection = True


def drips(request: Request) -> None:
    request.send_response(200)
    request.send_header("content-length", "100000")
    request.end_headers()
    while not request.server.over.wait(0.05):
        request.wfile.write(b" ")
    request.close_connection = True


def cuts(request: Request) -> None:
    request.send_response(200)
    request.send_header("content-length", "100000")
    request.end_headers()
    request.wfile.write(b'{"data"')
    request.close_connection = True


def cuts_before_a_word(request: Request) -> None:
    request.close_connection = True


def assert_doubling(waits: list[float]) -> None:
    """Each wait is at most twice as long as the one before, and shortened by up to half at random."""
    for tried, wait in enumerate(waits):
        assert 0.25 * 2**tried <= wait <= 0.5 * 2**tried


@pytest.mark.parametrize(
    "behaviour",
    [hangs, drips, cuts, cuts_before_a_word, sends(b"", 500), sends(b"", 503), sends(b"", 429)],
    ids=["hangs", "drips", "cuts", "cuts before a word", "500", "503", "429"],
)
def test_a_passing_failure_is_tried_again(endpoint: Endpoint, behaviour: Behaviour) -> None:
    endpoint.behaviours = [behaviour, behaviour]
    with endpoint.embedder(timeout=1) as embedder:
        np.testing.assert_allclose(embedder.embed(["fig"]), unit(vector("fig")), atol=1e-6)
    assert (len(endpoint.requests), len(endpoint.waits)) == (3, 2)
    assert_doubling(endpoint.waits)


@pytest.mark.parametrize("behaviour", [hangs, cuts, sends(b"out of order", 500)], ids=["hangs", "cuts", "500"])
def test_tries_end(endpoint: Endpoint, behaviour: Behaviour) -> None:
    endpoint.behaviours = [behaviour] * 9
    with endpoint.embedder(timeout=1, retries=2) as embedder, pytest.raises(ModelUnavailable):
        embedder.embed(["fig"])
    assert (len(endpoint.requests), len(endpoint.waits)) == (3, 2)
    assert_doubling(endpoint.waits)


def test_nobody_listening_is_an_error(endpoint: Endpoint) -> None:
    endpoint.url = "http://127.0.0.1:1/v1"
    with endpoint.embedder(retries=1) as embedder, pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1:1/v1 failed"):
        embedder.embed(["fig"])


def test_the_wait_is_the_one_the_endpoint_asks_for(endpoint: Endpoint) -> None:
    endpoint.behaviours = [
        sends(b"", 429, retry_after="3"),
        sends(b"", 503, retry_after="0"),
        sends(b"", 503, retry_after="soon"),
        sends(b"", 429, retry_after=format_datetime(datetime.now(UTC) - timedelta(hours=1), usegmt=True)),
    ]
    with endpoint.embedder() as embedder:
        embedder.embed(["fig"])
    assert [*endpoint.waits[:2], endpoint.waits[3]] == [3, 0, 0]
    assert 1 <= endpoint.waits[2] <= 2


@pytest.mark.parametrize("wait", ["3600", format_datetime(datetime(2999, 1, 1, tzinfo=UTC), usegmt=True)])
def test_a_wait_of_more_than_a_minute_is_an_error_now(endpoint: Endpoint, wait: str) -> None:
    endpoint.behaviours = [sends(b"come back later", 429, retry_after=wait)]
    with endpoint.embedder() as embedder, pytest.raises(ModelUnavailable, match="come back later"):
        embedder.embed(["fig"])
    assert endpoint.waits == []


def test_the_key_comes_from_the_environment(endpoint: Endpoint) -> None:
    settings = load({"MNEMIC_EMBEDDER_KEY": f" {KEY}\n"})
    embedder = embedder_from(f"remote:tiny@{endpoint.url}", settings=settings)
    assert isinstance(embedder, RemoteEmbedder)
    with embedder:
        embedder.embed(["fig"])
    assert endpoint.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_without_a_key_none_is_sent(endpoint: Endpoint) -> None:
    with endpoint.embedder() as embedder:
        embedder.embed(["fig"])
    assert "authorization" not in endpoint.requests[0].headers


@pytest.mark.parametrize("status", [200, 401, 500])
def test_the_key_is_never_shown(endpoint: Endpoint, caplog: pytest.LogCaptureFixture, status: int) -> None:
    caplog.set_level(logging.DEBUG)
    endpoint.behaviours = [sends(b"x" * 190 + KEY.encode(), status)]
    with endpoint.embedder(retries=0, key=KEY) as embedder, pytest.raises(ModelUnavailable) as raised:
        embedder.embed(["fig"])
    shown = caplog.text + repr(embedder) + str(raised.value) + repr(vars(embedder)["_client"].headers)
    assert endpoint.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY[:8] not in shown


def test_a_key_that_no_header_can_hold_is_refused_unseen(endpoint: Endpoint) -> None:
    settings = load({"MNEMIC_EMBEDDER_KEY": f"{KEY}\nx: y"})
    with pytest.raises(InvalidInput, match="MNEMIC_EMBEDDER_KEY") as raised:
        embedder_from(f"remote:tiny@{endpoint.url}", settings=settings)
    assert KEY not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:80",
        "ftp://host/v1",
        "https://",
        "https://u:p@host/v1",
        "https://host/v1?k=1",
        "http://[::1",
        "http://h:x",
    ],
)
def test_a_wrong_base_url_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="base_url"):
        RemoteEmbedder(url, "tiny")


@pytest.mark.parametrize(("option", "value"), [("dimension", 0), ("batch_size", 0), ("retries", -1), ("timeout", 0)])
def test_a_number_out_of_range_is_refused(endpoint: Endpoint, option: str, value: int) -> None:
    with pytest.raises(InvalidInput, match=option):
        endpoint.embedder(**{option: value})


def test_a_missing_package_names_the_extra(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(ModelMissing, match=r"\.\[remote\]"):
        endpoint.embedder()


def test_the_name_is_that_of_the_model(endpoint: Endpoint) -> None:
    with endpoint.embedder() as embedder:
        assert embedder.name == "remote:tiny"
