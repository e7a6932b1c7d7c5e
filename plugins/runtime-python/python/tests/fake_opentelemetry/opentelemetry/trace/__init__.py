import abc
import contextlib
import enum
import logging

from opentelemetry import context as context_api


class TraceFlags(int):
    @property
    def sampled(self):
        return bool(self & 1)


class SpanContext:
    def __init__(self, trace_id, span_id, is_remote, trace_flags=TraceFlags(0), trace_state=None):
        self.trace_id, self.span_id, self.is_remote, self.trace_flags, self.trace_state = trace_id, span_id, is_remote, trace_flags, trace_state or {}
        self.is_valid = 0 < trace_id < 2**128 and 0 < span_id < 2**64


class SpanKind(enum.Enum):
    INTERNAL, SERVER, CLIENT, PRODUCER, CONSUMER = range(5)


class StatusCode(enum.Enum):
    UNSET, OK, ERROR = range(3)


class Status:
    def __init__(self, status_code=StatusCode.UNSET, description=None):
        self.status_code, self.description = status_code, description


class Link:
    def __init__(self, context, attributes=None):
        self.context, self.attributes = context, attributes


class Span(abc.ABC):
    @abc.abstractmethod
    def end(self, end_time=None): ...
    @abc.abstractmethod
    def get_span_context(self): ...
    @abc.abstractmethod
    def set_attributes(self, attributes): ...
    @abc.abstractmethod
    def set_attribute(self, key, value): ...
    @abc.abstractmethod
    def add_event(self, name, attributes=None, timestamp=None): ...
    def add_link(self, context, attributes=None): ...
    @abc.abstractmethod
    def update_name(self, name): ...
    @abc.abstractmethod
    def is_recording(self): ...
    @abc.abstractmethod
    def set_status(self, status, description=None): ...
    @abc.abstractmethod
    def record_exception(self, exception, attributes=None, timestamp=None, escaped=False): ...

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


class NonRecordingSpan(Span):
    def __init__(self, context): self._context = context
    def get_span_context(self): return self._context
    def is_recording(self): return False
    def end(self, end_time=None): pass
    def set_attributes(self, attributes): pass
    def set_attribute(self, key, value): pass
    def add_event(self, name, attributes=None, timestamp=None): pass
    def update_name(self, name): pass
    def set_status(self, status, description=None): pass
    def record_exception(self, exception, attributes=None, timestamp=None, escaped=False): pass


INVALID_SPAN = NonRecordingSpan(SpanContext(0, 0, False))
_KEY = "current-span"


def set_span_in_context(span, context=None):
    return context_api.set_value(_KEY, span, context=context)


def get_current_span(context=None):
    span = context_api.get_value(_KEY, context=context)
    return span if isinstance(span, Span) else INVALID_SPAN


@contextlib.contextmanager
def use_span(span, end_on_exit=False, record_exception=True, set_status_on_exception=True):
    try:
        token = context_api.attach(context_api.set_value(_KEY, span))
        try:
            yield span
        finally:
            context_api.detach(token)
    except BaseException as exc:
        if isinstance(span, Span) and span.is_recording():
            if record_exception:
                span.record_exception(exc)
            if set_status_on_exception:
                span.set_status(Status(StatusCode.ERROR, f"{type(exc).__name__}: {exc}"))
        raise
    finally:
        if end_on_exit:
            span.end()


class ProxyTracer:
    def __init__(self, *args): self._args = args

    @property
    def _tracer(self):
        if _PROVIDER is None:
            raise AssertionError("no provider was set")
        return _PROVIDER.get_tracer(*self._args)

    def start_span(self, *args, **kwargs): return self._tracer.start_span(*args, **kwargs)

    @contextlib.contextmanager
    def start_as_current_span(self, *args, **kwargs):
        with self._tracer.start_as_current_span(*args, **kwargs) as span:
            yield span


class ProxyTracerProvider:
    def get_tracer(self, name, version=None, schema_url=None, attributes=None):
        return _PROVIDER.get_tracer(name) if _PROVIDER else ProxyTracer(name)


_PROVIDER = None
_PROXY = ProxyTracerProvider()


def get_tracer_provider():
    return _PROVIDER or _PROXY


def set_tracer_provider(provider):
    global _PROVIDER
    if _PROVIDER is not None:
        logging.getLogger(__name__).warning("Overriding of current TracerProvider is not allowed")
        return
    _PROVIDER = provider


def get_tracer(name, version=None, provider=None, schema_url=None, attributes=None):
    return (provider or get_tracer_provider()).get_tracer(name, version, schema_url, attributes)
