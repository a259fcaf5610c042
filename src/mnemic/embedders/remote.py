"""The remote embedder: an OpenAI-compatible endpoint."""

from __future__ import annotations

import json
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import numpy as np

from mnemic.errors import InvalidInput, ModelMissing, ModelUnavailable, with_extra
from mnemic.http.endpoint import HEADERS, Retry, checked_url, may_pass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType

    import httpx2

    Exact = np.ndarray[Any, np.dtype[np.float64]]
    Vectors = np.ndarray[Any, np.dtype[np.float32]]

WINDOW = 6_000
"""The maximum number of characters in one window of a text."""

_MAX_REQUEST = 100_000
_MAX_ANSWER_PER_TEXT = 1_000_000
_MAX_QUOTED = 200


class RemoteEmbedder:
    """An embedder behind POST BASE_URL/embeddings.

    A text of more than 6,000 characters is embedded in windows, averaged by length; nothing is cut off. A blank text is
    not sent and gets a vector of zeros. Redirects are not followed. The key never appears in output, logs or errors.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        key: str | None = None,
        dimension: int | None = None,
        batch_size: int = 64,
        timeout: float = 30.0,
        retries: int = 4,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Connect to an endpoint and its model.

        `dimension` is checked against every answer; without it, the first answer decides. `timeout` is in seconds per
        request. A request is sent again up to `retries` times after a timeout, a broken connection, a 429 or a 5xx,
        after the wait that the endpoint asks for, at most a minute.
        """
        minimums = {"dimension": (dimension, 1), "batch_size": (batch_size, 1), "retries": (retries, 0)}
        for field, (value, minimum) in minimums.items():
            if value is not None and value < minimum:
                raise InvalidInput(field, f"must be at least {minimum}, not {value}")
        if not timeout > 0:
            raise InvalidInput("timeout", f"must be more than 0 seconds, not {timeout}")
        self.name = f"remote:{model}"
        self._base_url = checked_url(base_url)
        self._model = model
        self._dimension = dimension
        self._batch_size = batch_size
        self._timeout = timeout
        self._retry = Retry(retries)
        self._sleep = sleep
        self._key = key
        self._client = _client(key, timeout)

    def __repr__(self) -> str:
        return f"RemoteEmbedder({self._base_url!r}, {self._model!r})"

    def __enter__(self) -> RemoteEmbedder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    @property
    def dimension(self) -> int:
        """The number of dimensions; the first access may send a request to find out."""
        if self._dimension is None:
            self._dimension = self._request(["dimension"]).shape[1]
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text."""
        rows = np.zeros((len(texts), self.dimension))
        for batch in _batches(texts, self._batch_size):
            for (index, window), vector in zip(batch, self._request([window for _, window in batch]), strict=True):
                rows[index] += len(window) * vector
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.where(lengths, lengths, 1)).astype(np.float32)

    def _request(self, texts: list[str]) -> Exact:
        """Return one unit vector per text from one request."""
        body = json.dumps({"model": self._model, "input": texts, "encoding_format": "float"}).encode()
        try:
            answer = self._post(body, limit=len(texts) * _MAX_ANSWER_PER_TEXT)
            return _vectors(answer, len(texts), self._dimension)
        except _Failure as failure:
            raise ModelUnavailable(self._without_key(f"{self._base_url} {failure}")) from None

    def _post(self, body: bytes, *, limit: int) -> bytes:
        """Return the answer to a request, sending it again after a failure that may pass."""
        attempts = 0
        while True:
            try:
                return self._exchange(body, limit=limit)
            except _Failure as failure:
                wait = self._retry.wait(attempts, retry_after=failure.retry_after)
                if not failure.may_pass or wait is None:
                    raise
            self._sleep(wait)
            attempts += 1

    def _exchange(self, body: bytes, *, limit: int) -> bytes:
        """Send a request once and return the answer."""
        import httpx2

        deadline = time.monotonic() + self._timeout
        content = bytearray()
        try:
            with self._client.stream("POST", f"{self._base_url}/embeddings", content=body) as response:
                for chunk in response.iter_bytes():
                    content += chunk
                    if len(content) > limit:
                        raise _Failure(f"sent more than {limit:,} bytes")
                    if time.monotonic() > deadline:
                        raise _Failure(f"did not finish within {self._timeout:g} s", may_pass=True)
        except httpx2.HTTPError as error:
            raise _Failure(f"failed: {str(error) or type(error).__name__}", may_pass=True) from None
        if response.status_code != HTTPStatus.OK:
            raise self._refusal(response, bytes(content))
        return bytes(content)

    def _refusal(self, response: httpx2.Response, content: bytes) -> _Failure:
        """Return the failure for a status other than 200."""
        status = response.status_code
        if response.is_redirect:
            return _Failure(f"answered {status}; redirects are not followed, so use the address it points to")
        body = self._without_key(" ".join(content.decode(errors="replace").split()))[:_MAX_QUOTED]
        retry_after = response.headers.get("retry-after")
        return _Failure(f"answered {status}: {body}", may_pass=may_pass(status), retry_after=retry_after)

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


class _Failure(Exception):
    """A failed request, whether sending it again may help, and the wait that the endpoint asked for."""

    def __init__(self, problem: str, *, may_pass: bool = False, retry_after: str | None = None) -> None:
        super().__init__(problem)
        self.may_pass = may_pass
        self.retry_after = retry_after


def _client(key: str | None, timeout: float) -> httpx2.Client:
    try:
        import httpx2
    except ImportError:
        raise ModelMissing(f"httpx2 is not installed; {with_extra('remote')}") from None
    headers = HEADERS | {"content-type": "application/json"}
    if key:
        headers["authorization"] = f"Bearer {key}"
    return httpx2.Client(headers=headers, timeout=timeout, follow_redirects=False)


def _batches(texts: Sequence[str], size: int) -> Iterator[list[tuple[int, str]]]:
    """Yield batches of windows, each window with the index of its text; a batch fits into one request."""
    batch: list[tuple[int, str]] = []
    length = 0
    for index, text in enumerate(texts):
        for window in _windows(text):
            if batch and (len(batch) == size or length + len(window) > _MAX_REQUEST):
                yield batch
                batch, length = [], 0
            batch.append((index, window))
            length += len(window)
    if batch:
        yield batch


def _windows(text: str) -> Iterator[str]:
    """Yield the windows of a text, except blank ones."""
    for start in range(0, len(text), WINDOW):
        window = text[start : start + WINDOW].encode(errors="replace").decode()
        if not window.isspace():
            yield window


def _vectors(answer: bytes, count: int, dimension: int | None) -> Exact:
    """Return the vectors of an answer in the order of the texts, refusing wrong ones."""
    try:
        data = json.loads(answer)["data"]
        indexes = [item["index"] for item in data]
        rows = np.array([item["embedding"] for item in sorted(data, key=lambda item: item["index"])])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _Failure("did not answer with a list of embeddings in JSON") from None
    if len(indexes) != count:
        raise _Failure(f"was asked for {count} embeddings and sent {len(indexes)}")
    if sorted(indexes) != list(range(count)):
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
