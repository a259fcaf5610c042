"""The HTTP client for a model's endpoint: it repeats requests, and limits their time and the size of an answer."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import httpx2

from mnemic.http.endpoint import HEADERS, Retry, may_pass

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

MAX_ANSWER = 4_000_000
"""The largest answer in bytes."""


class PatientClient(httpx2.AsyncClient):
    """A client that repeats a request after a broken connection, a 429 or a 5xx, as `Retry` says.

    A request that times out is not repeated: more requests do not help a slow endpoint. Redirects are not followed,
    because they would send the key to another address.
    """

    def __init__(self, *, timeout: float, retries: int, sleep: Callable[[float], Awaitable[None]]) -> None:
        """Take the seconds for one request, and how often it is repeated."""
        super().__init__(timeout=timeout, follow_redirects=False, headers=HEADERS)
        self._seconds = timeout
        self._retry = Retry(retries)
        self._sleep = sleep

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:  # noqa: ANN401
        """Send a request until it is answered, or until no try is left."""
        tried = 0
        while True:
            try:
                response = await self._once(request, stream=stream, **options)
                wait = self._retry.wait(tried, retry_after=response.headers.get("retry-after"))
                if wait is None or not may_pass(response.status_code):
                    return response
                await response.aclose()
            except httpx2.TimeoutException:
                raise
            except httpx2.TransportError:
                wait = self._retry.wait(tried)
                if wait is None:
                    raise
            await self._sleep(wait)
            tried += 1

    async def _once(self, request: httpx2.Request, *, stream: bool, **options: Any) -> httpx2.Response:  # noqa: ANN401
        try:
            async with asyncio.timeout(self._seconds):
                response = await super().send(request, **{**options, "stream": True, "follow_redirects": False})
                response.stream = _Bounded(response.stream)
                if not stream or response.status_code != HTTPStatus.OK:
                    await response.aread()
                return response
        except TimeoutError:
            raise httpx2.ReadTimeout(f"no answer within {self._seconds:g} s", request=request) from None


class _Bounded(httpx2.AsyncByteStream):
    """A response body that ends in an error when it is too long."""

    def __init__(self, body: Any) -> None:  # noqa: ANN401 - httpx2 cannot tell that it is asynchronous
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for chunk in self._body:
            read += len(chunk)
            if read > MAX_ANSWER:
                raise httpx2.DecodingError(f"the answer has more than {MAX_ANSWER:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._body.aclose()
