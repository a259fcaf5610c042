"""mem0 as a backend: its vector stores and its configuration, behind a PersistentMemory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import TYPE_CHECKING, Any

from mnemic.agent.backend import RecalledText, Recorded
from mnemic.errors import InvalidInput, MnemicError, ModelMissing, StoreError, with_extra
from mnemic.mind import utc_now
from mnemic.model import checks
from mnemic.model.message import Message
from mnemic.upkeep.extract import extract

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from mnemic.model.scope import Scope
    from mnemic.ports import Embedder, Llm

PROVIDER = "mnemic"
"""The name of our embedder and our language model in mem0's configuration."""

_SWITCH = "MEM0_TELEMETRY"
"""mem0's own variable, which mem0 reads when it is imported."""

_NEAR = 10


class Mem0Backend:
    """Memories in mem0, with our embedder and language model where its configuration names none."""

    def __init__(
        self,
        scope: Scope,
        *,
        mem0_config: object,
        vector_store_config: object,
        llm: Llm | None,
        embedder: Embedder,
        replace: Collection[str],
    ) -> None:
        self._names = _names(scope)
        config, self._infers = configured(mem0_config, vector_store_config, llm=llm, embedder=embedder, replace=replace)
        self.threads = ThreadPoolExecutor(1, "mnemic-mem0")
        """A local Qdrant answers only the thread that opened it."""
        try:
            self._memory = self.threads.submit(open_mem0, config).result()
        except StoreError:
            self.threads.shutdown()
            raise

    def record(self, messages: Sequence[Message], *, infer: bool, metadata: Mapping[str, Any]) -> Recorded:
        """Store what mem0's language model finds worth remembering; without a model, our rules choose."""
        if infer and self._infers:
            return Recorded(self._add(messages, infer=True, metadata=metadata), "mem0")
        if infer:
            statements = extract(messages, now=utc_now()).statements
            messages = [Message(messages[statement.message_index].role, statement.text) for statement in statements]
        return Recorded(tuple(self._add_once(messages, metadata=metadata)))

    def save(self, texts: Sequence[str], *, metadata: Mapping[str, Any]) -> list[str]:
        """Store texts as they are, and return the id of each, also of those that were known."""
        return self._add_once([Message("user", text) for text in texts], metadata=metadata)

    def find(self, query: str, *, limit: int, agent: str | None = None, turn: int | None = None) -> list[RecalledText]:
        """Return what answers a question, best first."""
        filters: dict[str, Any] = dict(self._names)
        if agent is not None:
            filters["agent_id"] = _id("agent_id", agent)
        if turn is not None:
            filters["turn"] = turn
        answer = self._call(lambda: self._memory.search(query, filters=filters, top_k=limit))
        return [
            RecalledText(item["id"], item["memory"], item["score"] or 0.0, _when(item["created_at"]))
            for item in answer["results"]
        ]

    def gone(self, ids: Sequence[str]) -> set[str]:  # noqa: ARG002
        """Return none: mem0 supersedes nothing."""
        return set()

    def use(self, ids: Sequence[str]) -> None:
        """Do nothing: mem0 does not count how often a memory is used."""

    def close(self) -> None:
        """Close mem0 and its vector store."""
        self._memory.close()
        close = getattr(getattr(self._memory.vector_store, "client", None), "close", None)
        if close is not None:
            close()
        self.threads.shutdown(wait=False)

    def _add_once(self, messages: Sequence[Message], *, metadata: Mapping[str, Any]) -> list[str]:
        """Store messages as they are, and return the id of each; mem0 itself would store a repeat again."""
        ids: list[str] = []
        for message in messages:
            near = self.find(message.content, limit=_NEAR)
            known = [recalled.id for recalled in near if recalled.text == message.content]
            ids.extend(known[:1] or self._add([message], infer=False, metadata=metadata))
        return ids

    def _add(self, messages: Sequence[Message], *, infer: bool, metadata: Mapping[str, Any]) -> tuple[str, ...]:
        dicts = [{"role": message.role, "content": message.content} for message in messages]
        added = self._call(lambda: self._memory.add(dicts, **self._names, infer=infer, metadata=dict(metadata) or None))
        return tuple(item["id"] for item in added["results"])

    def _call(self, work: Callable[[], Any]) -> Any:  # noqa: ANN401
        try:
            return work()
        except MnemicError:
            raise
        except Exception as error:  # mem0 and its stores raise whatever they like
            raise StoreError(f"mem0 failed: {error}") from error


def load_mem0() -> Any:  # noqa: ANN401
    """Import mem0, with its telemetry off unless MEM0_TELEMETRY asks for it."""
    wanted = os.environ.get(_SWITCH)
    os.environ.setdefault(_SWITCH, "False")
    try:
        import mem0
        import mem0.memory.main
        import mem0.memory.telemetry
    except ImportError:
        raise ModelMissing(f"mem0 is not installed; {with_extra('mem0')}") from None
    if wanted is None:
        mem0.memory.telemetry.MEM0_TELEMETRY = False
        mem0.memory.main.MEM0_TELEMETRY = False
    return mem0


def configured(
    mem0_config: object,
    vector_store_config: object,
    *,
    llm: Llm | None,
    embedder: Embedder,
    replace: Collection[str] = (),
) -> tuple[Any, bool]:
    """Return mem0's configuration, and whether it has a language model to extract with.

    Our embedder and language model are used where it names none, or where `replace` holds "embedder" or "llm".
    """
    load_mem0()
    from mem0.configs.base import MemoryConfig
    from mem0.vector_stores.configs import VectorStoreConfig

    config = _value("mem0_config", mem0_config, MemoryConfig)
    theirs = config.model_fields_set - set(replace)
    if vector_store_config is not None:
        config.vector_store = _value("vector_store_config", vector_store_config, VectorStoreConfig)
    if "embedder" not in theirs:
        _use_embedder(config, embedder)
    if "llm" not in theirs:
        _use_llm(config, llm)
    return config, "llm" in theirs or llm is not None


def open_mem0(config: Any) -> Any:  # noqa: ANN401
    """Return mem0's Memory with a configuration."""
    try:
        return load_mem0().Memory(config)
    except Exception as error:  # mem0, its stores and its models raise whatever they like
        raise StoreError(f"mem0 cannot be opened: {error}") from error


def _value(field: str, value: object, kind: type[Any]) -> Any:  # noqa: ANN401
    """Return a value of mem0's own type, built from a dict if it is one."""
    if isinstance(value, kind):
        return value.model_copy()
    if value is not None and not isinstance(value, Mapping):
        raise InvalidInput(field, f"must be a dict or mem0's {kind.__name__}, not {checks.shown(value)}")
    if value is not None:
        checks.fields(f"mem0's {kind.__name__}", value, frozenset(kind.model_fields))
    try:
        return kind(**(value or {}))
    except ValueError as error:
        raise InvalidInput(field, f"is refused by mem0: {error}") from None


def _use_embedder(config: Any, embedder: Embedder) -> None:  # noqa: ANN401
    from mem0.embeddings.configs import EmbedderConfig
    from mem0.utils.factory import EmbedderFactory

    EmbedderFactory.provider_to_class[PROVIDER] = "mnemic.agent.mem0_models.EmbedderForMem0"
    config.embedder = EmbedderConfig.model_construct(provider=PROVIDER, config={"model": embedder})
    store = config.vector_store.config
    if "embedding_model_dims" in type(store).model_fields and "embedding_model_dims" not in store.model_fields_set:
        config.vector_store = config.vector_store.model_copy(
            update={"config": store.model_copy(update={"embedding_model_dims": embedder.dimension})}
        )


def _use_llm(config: Any, llm: Llm | None) -> None:  # noqa: ANN401
    from mem0.llms.configs import LlmConfig
    from mem0.utils.factory import LlmFactory

    LlmFactory.register_provider(PROVIDER, "mnemic.agent.mem0_models.LlmForMem0")
    config.llm = LlmConfig.model_construct(provider=PROVIDER, config={"model": llm})


def _names(scope: Scope) -> dict[str, str]:
    keys = {"agent_id": scope.agent, "user_id": scope.user, "run_id": scope.session}
    return {key: _id(key, name) for key, name in keys.items() if name is not None}


def _id(key: str, name: str) -> str:
    """Return a name as an id for mem0, refusing those with which it would return other people's memories."""
    if name == "*" or any(char.isspace() for char in name):
        raise InvalidInput(key, f"{checks.shown(name)} cannot be used with mem0, which trims blanks and reads * as all")
    return name


def _when(text: str | None) -> datetime | None:
    try:
        return None if text is None else datetime.fromisoformat(text)
    except ValueError:
        return None
