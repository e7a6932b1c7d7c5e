"""Sends requests to the Steps of a test engine."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from treadle.worker.wire.limits import MAX_ISSUES

from ..invocations import Failure, Invocations, Origin, new_origin
from .answer import Answer, answer_of, problem_answer
from .problems import Problem, problem, problem_of, validation_failed
from .request import body_bytes, read_body, read_query
from .routes import Route, RouteTable


class TestHttp:
    """The way of a request through the engine, without sockets."""

    def __init__(self, routes: list[Route], invocations: Invocations) -> None:
        self._table = RouteTable(routes)
        self._invocations = invocations

    async def request(
        self, method: str, path: str, body: Any, query: Mapping[str, Any], headers: Mapping[str, str], files: Mapping[str, Any] | None
    ) -> Answer:
        """:raises ValueError: when the path does not begin with "/" """
        if not path.startswith("/"):
            raise ValueError(f'the path of a request begins with "/", got "{path}"')
        origin, method = _origin(headers), method.upper()
        parts = urlsplit(path)
        if method == "OPTIONS" and self._table.allowed(parts.path):
            return Answer(204, {"allow": ", ".join(self._table.allowed(parts.path)), "x-trace-id": origin.trace_id}, None, origin.trace_id)
        answer = await self._answer(method, parts.path, _query_text(parts.query, query), body, headers, files, origin)
        if isinstance(answer, Problem):
            answer = problem_answer(answer, origin.trace_id)
        return answer if method != "HEAD" else Answer(answer.status, answer.headers, None, answer.trace_id)

    async def _answer(
        self, method: str, path: str, query: str, body: Any, headers: Mapping[str, str], files: Mapping[str, Any] | None, origin: Origin
    ) -> Answer | Problem:
        found = self._table.match(method, path)
        if found is None:
            return self._no_route(path)
        route, parameters = found
        sent = {name.lower(): str(value) for name, value in headers.items()}
        content = body_bytes(body, sent, files)
        input = _input(method, path, parameters, query, sent, content, route, body, files)
        if isinstance(input, Problem):
            return input
        outcome = await self._run(route, input, origin)
        return problem_of(outcome) if isinstance(outcome, Failure) else answer_of(outcome, route, origin.trace_id)

    async def _run(self, route: Route, input: dict[str, Any], origin: Origin) -> dict[str, Any] | Failure:
        ended: asyncio.Future[dict[str, Any] | Failure] = asyncio.get_running_loop().create_future()

        def settle(outcome: dict[str, Any] | Failure) -> None:
            if not ended.done():
                ended.set_result(outcome)

        self._invocations.start(route.step, ("http", route.index), input, origin, timeout_ms=route.timeout_ms, ended=settle)
        return await ended

    def _no_route(self, path: str) -> Problem:
        allowed = self._table.allowed(path)
        if not allowed:
            return problem(404, "not_found", "Not Found")
        return Problem(405, "method_not_allowed", "Method Not Allowed", headers={"allow": ", ".join(allowed)})


def _is_bytes(read: Mapping[str, Any]) -> bool:
    """JSON Schema cannot judge bytes; only a schema that does not try lets them come so far."""
    return (read.get("body") or {}).get("kind") == "base64"


def _origin(headers: Mapping[str, str]) -> Origin:
    """A ``traceparent`` gives the trace id."""
    given = next((value for name, value in headers.items() if name.lower() == "traceparent"), "")
    parts = given.split("-")
    return Origin(parts[1]) if len(parts) == 4 and len(parts[1]) == 32 and set(parts[1]) <= set("0123456789abcdef") else new_origin()


def _query_text(text: str, query: Mapping[str, Any]) -> str:
    written = {name: _written(value) for name, value in query.items() if value is not None}
    return "&".join(part for part in (text, urlencode(written, doseq=True)) if part)


def _written(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return [_written(item) for item in value] if isinstance(value, (list, tuple)) else value


def _input(
    method: str, path: str, parameters: dict[str, str], query_text: str, headers: dict[str, str], content: bytes | None, route: Route, form: Any,
    files: Mapping[str, Any] | None,
) -> dict[str, Any] | Problem:
    query = read_query(query_text)
    if isinstance(query, Problem):
        return query
    read = read_body(content, headers, route, form, files)
    if isinstance(read, Problem):
        return read
    has_body = "body" in read
    value = read.pop("value", None)
    if route.query is not None:
        query = route.query.coerce(query)
    issues = [
        *(route.body.refusals(value) if route.body is not None and not _is_bytes(read) and (has_body or route.method not in ("GET", "HEAD")) else ()),
        *(route.query.refusals(query) if route.query is not None else ()), *(route.headers.refusals(headers) if route.headers is not None else ()),
    ]
    if issues:
        return validation_failed(issues[:MAX_ISSUES])
    return {"method": method, "path": path, "pathParams": parameters, "query": query, "headers": headers, **read}
