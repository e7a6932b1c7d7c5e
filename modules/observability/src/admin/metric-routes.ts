import { AdminError, type AdminRoutes, AdminText, type Clock, invalidArgument, type Labels, nearest, wallTime } from '@treadle/api';
import { metricLines } from '../metrics/metric-lines.js';
import type { MetricReading } from '../metrics/metric-registry.js';
import { PROMETHEUS_TYPE, prometheusText } from '../metrics/prometheus.js';
import { BOUNDARIES, labelsKey } from '../metrics/series.js';
import type { TelemetryStore } from '../telemetry-store.js';
import type { RecordingNotes } from './recording-notes.js';
import { RequestArguments } from './request-arguments.js';

const MOST_LINES = 100;
const DEFAULT_LINES = 20;

interface MetricSurroundings {
  readonly clock: Clock;
  /** Asked each time: a reload may change it. */
  readonly resource: () => Labels;
  readonly notes: RecordingNotes;
}

/** What operators may ask about metrics and about the store itself. */
export function addMetricRoutes(routes: AdminRoutes, store: TelemetryStore, { clock, resource, notes }: MetricSurroundings): void {
  routes.get('/metrics', async () => new AdminText(PROMETHEUS_TYPE, prometheusText(store.registry.read(), resource())), undefined, "Metrics in Prometheus' text format");
  routes.get('/metrics/now', async () => ({ boundaries: BOUNDARIES, items: store.registry.read().map(plain) }), [], 'Metrics as they are now');
  routes.get('/metrics/series', async ({ query }) => {
    const args = RequestArguments.of(query);
    const [name, labels, from, to] = [args.text('name'), args.map('labels') ?? {}, args.time('from') ?? -Infinity, args.time('to') ?? Infinity];
    if (name === undefined) throw invalidArgument('name must be the name of a metric');
    const known = metricNames(store);
    if (!known.has(name)) throw noMetric(name, [...known]);
    return { name, labels, boundaries: BOUNDARIES, points: store.history.series(name, labels, from, to) };
  }, ['name', 'labels', 'from', 'to'], 'One metric over time');
  routes.get('/metrics/lines', async ({ query }) => {
    const args = RequestArguments.of(query);
    const [name = '', by, limit] = [args.text('name'), args.text('by')?.split(',') ?? [], args.whole('limit', 1, MOST_LINES) ?? DEFAULT_LINES];
    if (name === '') throw invalidArgument('name must be the name of a metric');
    const known = metricNames(store);
    if (!known.has(name)) throw noMetric(name, [...known]);
    const there = new Set(store.registry.read().filter((reading) => reading.name === name).flatMap(({ series }) => series.map(({ labels }) => labelsKey(labels))));
    const points = store.history.pointsOf(name, args.time('to') ?? Infinity);
    const lines = metricLines(points, { by, from: args.time('from') ?? -Infinity, isThere: (key) => there.has(key) });
    return { name, by, boundaries: BOUNDARIES, items: lines.slice(0, limit), omitted: Math.max(0, lines.length - limit) };
  }, ['name', 'by', 'from', 'to', 'limit'], 'One metric over time, its series added up by labels');
  routes.get('/telemetry', async () => {
    store.logs.expire(wallTime(clock));
    return { ...store.use(), notes: { traces: notes.traces, logs: notes.logs } };
  }, [], 'How much is kept, and how much was evicted');
}

/** Of metrics that are there, and of those that are no more but have points. */
function metricNames({ registry, history }: TelemetryStore): ReadonlySet<string> {
  return new Set([...registry.read().map(({ name }) => name), ...history.names()]);
}

function noMetric(name: string, known: readonly string[]): AdminError {
  const meant = nearest(name, known);
  return new AdminError(404, 'not_found', `there is no metric "${name}"; ${meant === undefined ? 'GET /metrics/now lists them' : `did you mean "${meant}"?`}`);
}

function plain(reading: MetricReading): object {
  if (reading.kind !== 'histogram') return { ...reading, series: reading.series.map(({ labels, value }) => ({ labels, value })) };
  return { ...reading, series: reading.series.map(({ labels, count, sum, counts }) => ({ labels, count, sum, counts: [...counts] })) };
}
