"""The remote language model, called through pydantic-ai."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING, Any

from mnemic.errors import BudgetSpent, InvalidInput, ModelMissing, ModelUnavailable, with_extra
from mnemic.http.endpoint import checked_url
from mnemic.llms.remote.spent import Spent
from mnemic.llms.remote.thread import items_of, result_of
from mnemic.model import checks
from mnemic.model.message import messages as checked
from mnemic.rules.prompt import tokens

try:
    import httpx2
    from pydantic_ai import Agent, NativeOutput, PromptedOutput
    from pydantic_ai.capabilities import Hooks
    from pydantic_ai.direct import model_request, model_request_stream
    from pydantic_ai.exceptions import AgentRunError, ModelHTTPError, ToolRetryError, UnexpectedModelBehavior, UserError
    from pydantic_ai.models import infer_model
    from pydantic_ai.providers import Provider, infer_provider_class
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    from mnemic.llms.remote.client import PatientClient
    from mnemic.llms.remote.conversation import history, piece
except ImportError as error:
    raise ModelMissing(f"{error.name or error} is not installed; {with_extra('llm')}") from None

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
    from decimal import Decimal

    from pydantic_ai import RunContext
    from pydantic_ai.capabilities import WrapModelRequestHandler
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model, ModelRequestContext

    from mnemic.model.message import Message
    from mnemic.ports import Shape

FORMS = "write openai:MODEL, anthropic:MODEL, ollama:MODEL, or openai:MODEL@BASE_URL for an OpenAI-compatible API"
LOCAL_OLLAMA = "http://127.0.0.1:11434/v1"

_COMPATIBLE = "openai-chat"
_WRONG_ANSWERS = 2
_REFUSES_SCHEMAS = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.NOT_IMPLEMENTED)
_FAILURES = (AgentRunError, UserError, httpx2.HTTPError, ValueError, LookupError, TypeError)
"""What pydantic-ai raises, also for an answer that it cannot read."""
_QUOTED = 300
_TEMPLATE = """\
Answer with one JSON object that fits this JSON schema, and with nothing else:

{schema}
"""


class RemoteLlm:
    """A model of a provider, or of any endpoint with an OpenAI-compatible API.

    `spent` counts requests and tokens. The key is never printed, logged or part of an error.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key: str | None = None,
        timeout: float = 60.0,
        retries: int = 3,
        budget: int | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Name a model as PROVIDER:MODEL, such as openai:gpt-5-mini.

        `timeout` is in seconds for one request; `retries` counts the tries after the first when the connection breaks,
        or the endpoint answers 429 or 5xx. `budget` is the number of tokens that may be used, in and out: once it is
        used up, the next question is refused.
        """
        provider, _, rest = model.partition(":")
        if not provider or not rest:
            raise InvalidInput("llm", f"must name a provider and a model, not {model!r}; {FORMS}")
        if timeout <= 0:
            raise InvalidInput("timeout", f"must be more than 0 seconds, not {timeout}")
        checks.integer("retries", retries, minimum=0, maximum=20)
        self.name = model
        self.spent = Spent()
        self._base_url = _address(base_url, provider)
        self._kind = f"{_COMPATIBLE}:{rest}" if provider == "openai" and base_url else model
        self._template = None if self._base_url is None else _TEMPLATE
        self._key = key
        self._timeout = timeout
        self._retries = retries
        self._budget = budget
        self._sleep = sleep
        self._prompted_only = False
        self._lock = Lock()
        self._check()

    def __repr__(self) -> str:
        return f"RemoteLlm({self.name!r}, base_url={self._base_url!r})"

    def answer(self, messages: Sequence[Message | Mapping[str, Any]]) -> str:
        """Return the answer to a conversation."""
        return result_of(self._answer(checked(messages)))

    def stream(self, messages: Sequence[Message | Mapping[str, Any]]) -> Iterator[str]:
        """Yield the answer to a conversation piece by piece; an answer that breaks off ends in an error."""
        return items_of(self._stream(checked(messages)))

    def structured(self, messages: Sequence[Message | Mapping[str, Any]], type_: type[Shape]) -> Shape:
        """Return the answer to a conversation as a dataclass of this type, asking again when it does not fit."""
        return result_of(self._structured(checked(messages), type_))

    async def _answer(self, conversation: list[Message]) -> str:
        async with self._model() as model:
            response = await model_request(model, history(conversation))
            self._count(response, conversation)
        text = response.text
        if not text or not text.strip():
            raise ModelUnavailable(f"{self.name} answered with nothing")
        return text

    async def _stream(self, conversation: list[Message]) -> AsyncIterator[str]:
        has_text = False
        async with self._model() as model, model_request_stream(model, history(conversation)) as events:
            try:
                async for event in events:
                    if words := piece(event):
                        has_text = True
                        yield words
            finally:
                self._count(events.get(), conversation)
            details = events.get().provider_details or {}
        if "finish_reason" not in details:
            raise ModelUnavailable(f"{self.name} broke off its answer")
        if not has_text:
            raise ModelUnavailable(f"{self.name} answered with nothing")

    async def _structured(self, conversation: list[Message], type_: type[Shape]) -> Shape:
        if not self._prompted_only:
            try:
                return await self._filled(conversation, NativeOutput(type_, template=self._template))
            except _SchemaRefused:
                pass
        filled = await self._filled(conversation, PromptedOutput(type_, template=_TEMPLATE))
        self._prompted_only = True
        return filled

    async def _filled(self, conversation: list[Message], output: NativeOutput[Shape] | PromptedOutput[Shape]) -> Shape:
        """Return the answer in a shape, asking at most twice more with what was wrong."""
        native = isinstance(output, NativeOutput)

        async def watched(
            _: RunContext[Any], /, *, request_context: ModelRequestContext, handler: WrapModelRequestHandler
        ) -> ModelResponse:
            self._check_budget()
            response = await handler(request_context)
            self._count(response, conversation)
            return response

        hooks = Hooks[None](model_request=watched)
        async with self._model() as model:
            agent = Agent(model, output_type=output, retries={"output": _WRONG_ANSWERS}, capabilities=[hooks])
            try:
                result = await agent.run(message_history=history(conversation))
            except (ModelHTTPError, UserError) as error:
                if native and getattr(error, "status_code", HTTPStatus.NOT_IMPLEMENTED) in _REFUSES_SCHEMAS:
                    raise _SchemaRefused from None
                raise
            return result.output

    @asynccontextmanager
    async def _model(self) -> AsyncIterator[Model]:
        """Open a connection to the model; whatever goes wrong with it becomes a ModelError without the key."""
        self._check_budget()
        try:
            async with PatientClient(timeout=self._timeout, retries=self._retries, sleep=self._sleep) as client:
                yield self._made(client)
        except _FAILURES as error:
            raise ModelUnavailable(self._message(error)) from None

    def _made(self, client: PatientClient) -> Model:
        return infer_model(self._kind, lambda provider: self._provider(provider, client))

    def _provider(self, provider: str, client: PatientClient) -> Provider[Any]:
        if provider == _COMPATIBLE:
            created: Provider[Any] = OpenAICompatibleProvider(
                "openai-compatible",
                base_url=str(self._base_url),
                api_key=self._key,
                http_client=client,
                profile={"supports_json_schema_output": True, "supports_json_object_output": False},
            )
        else:
            options = {"api_key": self._key, "base_url": self._base_url}
            kind: Callable[..., Provider[Any]] = infer_provider_class(provider)
            created = kind(http_client=client, **{key: value for key, value in options.items() if value is not None})
        created.client.max_retries = 0
        return created

    def _check(self) -> None:
        """Check that the provider exists and that its packages are installed."""
        try:
            self._made(PatientClient(timeout=self._timeout, retries=self._retries, sleep=self._sleep))
        except ImportError as error:
            raise ModelMissing(f"{self.name} needs a package that is not installed: {error}") from None
        except (ValueError, TypeError, UserError):
            raise InvalidInput("llm", f"{self.name!r} names no known provider that takes a key; {FORMS}") from None

    def _check_budget(self) -> None:
        if self._budget is not None and self.spent.tokens >= self._budget:
            raise BudgetSpent(
                f"{self.name} has used {self.spent.tokens:,} of {self._budget:,} tokens; raise its budget to go on"
            )

    def _count(self, response: ModelResponse, conversation: Sequence[Message]) -> None:
        """Add the tokens of an answer; estimate them from the words when the endpoint reports none."""
        used = response.usage
        if used.total_tokens:
            spent = Spent(1, used.input_tokens, used.output_tokens, _cost(response))
        else:
            sent = sum(tokens(message.content) for message in conversation)
            spent = Spent(1, sent, tokens(response.text or ""), None, 1)
        with self._lock:
            self.spent += spent

    def _message(self, error: Exception) -> str:
        """Return the error on one line, without the key."""
        if isinstance(error, ModelHTTPError):
            text = f"answered {error.status_code}: {error.body}"
        elif isinstance(error, UnexpectedModelBehavior) and isinstance(error.__cause__, ToolRetryError):
            text = f"did not answer in the requested shape: {error.__cause__}"
        else:
            text = f"failed: {_cause(error)}"
        text = " ".join(text.split())
        return f"{self.name} {text.replace(self._key, '***') if self._key else text}"[:_QUOTED]


def _address(base_url: str | None, provider: str) -> str | None:
    if base_url is not None:
        return checked_url(base_url)
    return LOCAL_OLLAMA if provider == "ollama" else None


class _SchemaRefused(Exception):
    """An endpoint that does not accept a JSON schema."""


def _cause(error: BaseException) -> BaseException:
    """Return the error of the connection behind an error, if there is one."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, httpx2.HTTPError):
        cause = cause.__cause__
    return cause or error


def _cost(response: ModelResponse) -> Decimal | None:
    try:
        return response.cost().total_price
    except (LookupError, ValueError, AssertionError):
        return None
