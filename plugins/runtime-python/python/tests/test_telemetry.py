"""Spans and measurements through OpenTelemetry's API, of which a stand-in is imported here."""

import os
import sys
from typing import Any

from treadle.worker.telemetry import api
from treadle.worker.telemetry.limits import MAX_OWN_SPANS

from .applications import Application, ApplicationTest, step

FAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake_opentelemetry")
TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
SAMPLED = {"traceparent": f"00-{TRACE}-{SPAN}-01"}
HEAD = 'from opentelemetry import trace, metrics\ntracer = trace.get_tracer("t")\nmeter = metrics.get_meter("m")\n'


class Telemetry(ApplicationTest):
    def setUp(self) -> None:
        super().setUp()
        self._forget()
        sys.path.insert(0, FAKE)

    def tearDown(self) -> None:
        sys.path.remove(FAKE)
        self._forget()
        super().tearDown()

    def _forget(self) -> None:
        for cached in (api.open_telemetry, api.open_telemetry_metrics, api.span_class):
            cached.cache_clear()
        for name in [name for name in sys.modules if name.partition(".")[0] == "opentelemetry"]:
            del sys.modules[name]

    async def joined(self, body: str, head: str = HEAD) -> Application:
        application = await self.application({"steps/a_step.py": head + step(body)})
        application.runner.join_telemetry()
        return application

    def spans(self, application: Application) -> list[dict[str, Any]]:
        return [span for message in application.host.sent if message["type"] == "spans" for span in message["spans"]]

    def points(self, application: Application) -> list[dict[str, Any]]:
        application.runner.flush_measurements()
        return [point for message in application.host.sent if message["type"] == "measurements" for point in message["points"]]

    async def test_spans_hang_below_the_handler_nested_as_they_were_made_over_waits(self) -> None:
        application = await self.joined("""
            import asyncio
            with tracer.start_as_current_span("outer", kind=trace.SpanKind.CLIENT, attributes={"a": 1}) as outer:
                await asyncio.sleep(0)
                inner = tracer.start_span("inner", start_time=1_000_000_000, links=[trace.Link(trace.SpanContext(0xe, 0xf, False, 1))])
                inner.add_event("seen", {"n": 2}, 5_000_000)
                inner.update_name("renamed")
                inner.end(1_250_000_000)
                inner.end(); inner.set_attribute("late", 1)
            assert outer.get_span_context().trace_id == ctx.trace.get_span_context().trace_id
            trace.get_current_span().set_attribute("of", "the handler")
            return {"status": 204}
        """)
        outcome = await application.run("A", **SAMPLED)
        inner, outer = self.spans(application)
        self.assertEqual((outer["traceId"], outer["parentSpanId"], outer["name"], outer["kind"], outer["stepName"], outer["attributes"]),
                         (TRACE, SPAN, "outer", "client", "A", {"a": 1}))
        self.assertEqual((inner["parentSpanId"], inner["name"], inner["startTime"], inner["durationMs"]), (outer["spanId"], "renamed", 1000, 250))
        self.assertEqual((inner["events"], inner["links"]), ([{"name": "seen", "time": 5, "attributes": {"n": 2}}], [f"00-{'e':0>32}-{'f':0>16}-01"]))
        self.assertEqual(outcome["span"], {"attributes": {"of": "the handler"}})

    async def test_spans_of_functions_in_threads_and_their_errors_are_told(self) -> None:
        application = await self.application({"steps/a_step.py": HEAD + """
config = {"name": "A", "triggers": [{"type": "http", "method": "GET", "path": "/a"}]}
@tracer.start_as_current_span("charge")
def charge(): raise ValueError("no card")
def handler(input, ctx):
    try: charge()
    except ValueError: return {"status": 402}
"""})
        application.runner.join_telemetry()
        self.assertEqual((await application.run("A", **SAMPLED))["http"], {"status": 402})
        (span,) = self.spans(application)
        self.assertEqual((span["name"], span["error"]["type"], span["error"]["message"]), ("charge", "ValueError", "ValueError: no card"))
        self.assertEqual(span["events"][0]["name"], "exception")
        self.assertIn("no card", span["error"]["stack"])

    async def test_nothing_is_kept_of_what_is_not_sampled_or_too_much(self) -> None:
        application = await self.joined(f"""
            for n in range({MAX_OWN_SPANS + 5}): tracer.start_span(str(n)).end()
            return {{"status": 200, "body": tracer.start_span("more").get_span_context().trace_id == ctx.trace.get_span_context().trace_id}}
        """)
        self.assertEqual(await application.body("A"), True)
        self.assertEqual(self.spans(application), [])
        await application.run("A", **SAMPLED)
        self.assertEqual(len(self.spans(application)), MAX_OWN_SPANS)

    async def test_measurements_are_summed_up(self) -> None:
        head = HEAD + 'made = meter.create_counter("orders", unit="{order}", description="made")\nseen = [5]\n' \
            'meter.create_observable_counter("seen", [lambda options: [metrics.Observation(seen[0], {"k": "v"})]])\n'
        application = await self.joined("""
            made.add(1, {"currency": "EUR"}); made.add(2, {"currency": "EUR"}); made.add(1); made.add(-1); made.add(float("nan"))
            weights = meter.create_histogram("weight", "kg")
            weights.record(1.5); weights.record(2)
            meter.create_up_down_counter("open").add(-3)
            meter.create_gauge("level").set(7); meter.create_gauge("level").set(8)
            meter.create_observable_gauge("broken", [lambda options: 1 / 0])
            seen[0] += 2
            return {"status": 204}
        """, head)
        await application.run("A")
        self.assertEqual(sorted(self.points(application), key=lambda point: (point["name"], str(point))), [
            {"name": "level", "kind": "gauge", "value": 8}, {"name": "open", "kind": "updown", "value": -3},
            {"name": "orders", "kind": "counter", "unit": "{order}", "description": "made", "attributes": {"currency": "EUR"}, "value": 3},
            {"name": "orders", "kind": "counter", "unit": "{order}", "description": "made", "value": 1},
            {"name": "seen", "kind": "counter", "attributes": {"k": "v"}, "value": 7}, {"name": "weight", "kind": "histogram", "unit": "kg", "values": [1.5, 2]},
        ])
        application.host.sent.clear()
        await application.run("A")
        self.assertIn({"name": "seen", "kind": "counter", "attributes": {"k": "v"}, "value": 2}, self.points(application))

    async def test_an_sdk_that_the_application_sets_up_itself_stays(self) -> None:
        head = HEAD + "class Mine:\n    def get_tracer(self, *_): return 'mine'\nown = Mine()\ntrace.set_tracer_provider(own)\n"
        application = await self.joined('return {"status": 200, "body": trace.get_tracer("t")}', head)
        self.assertEqual(await application.body("A", **SAMPLED), "mine")
