"""An OpenAI-compatible endpoint as the embedder."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import numpy as np

from mnemic.errors import InvalidInput, ModelMissing, ModelUnavailable
from mnemic.http.endpoint import checked_url, seconds_asked_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType

    import httpx

    Exact = np.ndarray[Any, np.dtype[np.float64]]
    Vectors = np.ndarray[Any, np.dtype[np.float32]]

KEY = "MNEMIC_EMBEDDER_KEY"
"""The environment variable that holds the key unless another is named."""

WINDOW = 6_000
"""The characters of a text that are embedded at once."""

_REQUEST = 100_000
_ANSWER_PER_TEXT = 1_000_000
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 60.0
_QUOTED = 200


class RemoteEmbedder:
    """Embed texts by POST to BASE_URL/embeddings.

    A text of more than 6,000 characters is embedded in windows that are averaged by their length: nothing is cut off.
    A blank text is not sent and gets a row of zeros. Redirects are not followed. The key is read from the environment
    only, and does not appear in what is printed, logged or raised.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key_env: str | None = None,
        dimension: int | None = None,
        batch_size: int = 64,
        timeout: float = 30.0,
        retries: int = 4,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Name an endpoint and its model.

        `api_key_env` names the variable that holds the key: MNEMIC_EMBEDDER_KEY, if it is set, when none is named.
        `dimension` is checked against every answer; when it is left out, the first answer tells it. `timeout` is in
        seconds for one request. `retries` counts the tries after the first: after a timeout, a broken connection, a 429
        or a 5xx, waiting as long as the endpoint asks to, at most a minute.
        """
        at_least = {"dimension": (dimension, 1), "batch_size": (batch_size, 1), "retries": (retries, 0)}
        for field, (value, least) in at_least.items():
            if value is not None and value < least:
                raise InvalidInput(field, f"must be at least {least}, not {value}")
        if not timeout > 0:
            raise InvalidInput("timeout", f"must be more than 0 seconds, not {timeout}")
        self.name = f"remote:{model}"
        self._base_url = checked_url(base_url)
        self._model = model
        self._dimension = dimension
        self._batch_size = batch_size
        self._timeout = timeout
        self._retries = retries
        self._sleep = sleep
        self._key = _key(api_key_env)
        self._client = _client(self._key, timeout)

    def __repr__(self) -> str:
        return f"RemoteEmbedder({self._base_url!r}, {self._model!r})"

    def __enter__(self) -> RemoteEmbedder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    @property
    def dimension(self) -> int:
        """Return the length of a vector, asking the endpoint when it is not known yet."""
        if self._dimension is None:
            self._dimension = self._ask(["dimension"]).shape[1]
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text."""
        rows = np.zeros((len(texts), self.dimension))
        for batch in _batches(texts, self._batch_size):
            for (place, window), vector in zip(batch, self._ask([window for _, window in batch]), strict=True):
                rows[place] += len(window) * vector
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.where(lengths, lengths, 1)).astype(np.float32)

    def _ask(self, texts: list[str]) -> Exact:
        """Return one unit row for each text of one request."""
        body = json.dumps({"model": self._model, "input": texts, "encoding_format": "float"}).encode()
        try:
            answer = self._post(body, limit=len(texts) * _ANSWER_PER_TEXT)
            return _vectors(answer, len(texts), self._dimension)
        except _Failure as failure:
            raise ModelUnavailable(self._without_key(f"{self._base_url} {failure}")) from None

    def _post(self, body: bytes, *, limit: int) -> bytes:
        """Return the answer to a request, trying again when that may help."""
        tried = 0
        while True:
            try:
                return self._exchange(body, limit=limit)
            except _Failure as failure:
                wait = _FIRST_WAIT * 2**tried if failure.wait is None else failure.wait
                if not failure.passing or tried == self._retries or wait > _LONGEST_WAIT:
                    raise
            self._sleep(wait)
            tried += 1

    def _exchange(self, body: bytes, *, limit: int) -> bytes:
        """Return the answer to a request that is sent once."""
        import httpx

        until = time.monotonic() + self._timeout
        content = bytearray()
        try:
            with self._client.stream("POST", f"{self._base_url}/embeddings", content=body) as response:
                for chunk in response.iter_bytes():
                    content += chunk
                    if len(content) > limit:
                        raise _Failure(f"sent more than {limit:,} bytes")
                    if time.monotonic() > until:
                        raise _Failure(f"did not finish within {self._timeout:g} s", passing=True)
        except httpx.HTTPError as error:
            raise _Failure(f"failed: {str(error) or type(error).__name__}", passing=True) from None
        if response.status_code != HTTPStatus.OK:
            raise self._refusal(response, bytes(content))
        return bytes(content)

    def _refusal(self, response: httpx.Response, content: bytes) -> _Failure:
        """Return what a status other than 200 means."""
        status = response.status_code
        if response.is_redirect:
            return _Failure(f"answered {status}; redirects are not followed, so name the address that it leads to")
        said = self._without_key(" ".join(content.decode(errors="replace").split()))[:_QUOTED]
        passing = status == HTTPStatus.TOO_MANY_REQUESTS or response.is_server_error
        wait = seconds_asked_for(response.headers.get("retry-after"), now=datetime.now(UTC))
        return _Failure(f"answered {status}: {said}", passing=passing, wait=wait)

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


class _Failure(Exception):
    """Report a request that failed, whether it may pass, and after which wait."""

    def __init__(self, problem: str, *, passing: bool = False, wait: float | None = None) -> None:
        super().__init__(problem)
        self.passing = passing
        self.wait = wait


def _key(variable: str | None) -> str | None:
    key = os.environ.get(variable or KEY, "").strip()
    if variable and not key:
        raise ModelMissing(f"the environment variable {variable} is to hold the key, and is not set")
    if not (key.isascii() and key.isprintable()):
        raise InvalidInput(variable or KEY, "holds characters that no key can hold")
    return key or None


def _client(key: str | None, timeout: float) -> httpx.Client:
    try:
        import httpx
    except ImportError:
        raise ModelMissing("httpx is not installed; `pip install 'mnemic[remote]'` brings it") from None
    headers = {"content-type": "application/json", "user-agent": "mnemic"}
    if key:
        headers["authorization"] = f"Bearer {key}"
    return httpx.Client(headers=headers, timeout=timeout, follow_redirects=False)


def _batches(texts: Sequence[str], size: int) -> Iterator[list[tuple[int, str]]]:
    """Yield windows of the texts with their text's place, so many that one request can carry them."""
    batch: list[tuple[int, str]] = []
    length = 0
    for place, text in enumerate(texts):
        for window in _windows(text):
            if batch and (len(batch) == size or length + len(window) > _REQUEST):
                yield batch
                batch, length = [], 0
            batch.append((place, window))
            length += len(window)
    if batch:
        yield batch


def _windows(text: str) -> Iterator[str]:
    """Yield a text in pieces that an endpoint can read, without those that are blank."""
    for start in range(0, len(text), WINDOW):
        window = text[start : start + WINDOW].encode(errors="replace").decode()
        if not window.isspace():
            yield window


def _vectors(answer: bytes, count: int, dimension: int | None) -> Exact:
    """Return the vectors of an answer in the order of the texts, or tell what is wrong with them."""
    try:
        data = json.loads(answer)["data"]
        places = [item["index"] for item in data]
        rows = np.array([item["embedding"] for item in sorted(data, key=lambda item: item["index"])])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _Failure("did not answer with a list of embeddings in JSON") from None
    if len(places) != count:
        raise _Failure(f"was asked for {count} embeddings and sent {len(places)}")
    if sorted(places) != list(range(count)):
        raise _Failure("numbered its embeddings wrongly")
    if rows.ndim != 2 or rows.dtype.kind not in "if" or not np.isfinite(rows).all():
        raise _Failure("sent embeddings that are not lists of finite numbers")
    if dimension is not None and rows.shape[1] != dimension:
        raise _Failure(f"sent embeddings of {rows.shape[1]} numbers instead of {dimension}")
    rows = rows.astype(np.float64)
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0)
    if not largest.all():
        raise _Failure("sent an embedding of zeros")
    scaled = rows / largest
    unit: Exact = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    return unit
