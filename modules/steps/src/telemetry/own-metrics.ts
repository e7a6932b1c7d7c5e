import type { Attributes, InstrumentOptions, Labels, Logger, MetricPoint, Session, Telemetry, Unsubscribe } from '@treadle/api';

/** Names that are the engine's: code of handlers may not add to what it counts. */
const OURS = /^(?:http\.server\.|queue\.message\.|state\.operation\.|treadle\.|nodejs\.|process\.)/;
/** Most instruments that keep a value here, and most label sets of each. */
const MOST_GAUGES = 200;
const MOST_SETS = 2000;
const LONGEST_LABEL = 256;

interface Kept {
  readonly labels: Labels;
  value: number;
}

/** One instrument that is read rather than told. */
interface Gauge {
  /** By process: what one adds up ends with it. */
  readonly bySession: Map<Session, Map<string, Kept>>;
  readonly sums: boolean;
  readonly remove: Unsubscribe;
}

/** Metrics that code of handlers makes through OpenTelemetry's API. */
export class OwnMetrics {
  private readonly gauges = new Map<string, Gauge>();
  private warned = false;

  /** `lives`: whether a process is still connected. */
  constructor(private readonly telemetry: Telemetry, private readonly log: Logger, private readonly lives: (session: Session) => boolean) {}

  take(points: readonly MetricPoint[], session: Session): void {
    for (const point of points) {
      if (OURS.test(point.name)) this.refuse(point.name);
      else this.add(point, session);
    }
  }

  close(): void {
    for (const { remove } of this.gauges.values()) remove();
    this.gauges.clear();
  }

  private add({ name, kind, unit = '', description = '', attributes = {}, value = 0, values = [] }: MetricPoint, session: Session): void {
    const labels = labelsOf(attributes);
    const options: InstrumentOptions = { unit, description };
    if (kind === 'counter') this.telemetry.counter(name, labels, options).add(value);
    else if (kind === 'histogram') for (const one of values) this.telemetry.histogram(name, labels, options).record(one);
    else this.keep({ name, options, sums: kind === 'updown' }, { labels, value }, session);
  }

  private keep(of: { readonly name: string; readonly options: InstrumentOptions; readonly sums: boolean }, { labels, value }: Kept, session: Session): void {
    const gauge = this.gauges.get(of.name) ?? this.create(of);
    if (!gauge) return;
    let sets = gauge.bySession.get(session);
    if (!sets) gauge.bySession.set(session, sets = new Map());
    const key = JSON.stringify(labels);
    const kept = sets.get(key);
    if (kept) kept.value = gauge.sums ? kept.value + value : value;
    else if (sets.size < MOST_SETS) sets.set(key, { labels, value });
  }

  private create({ name, options, sums }: { readonly name: string; readonly options: InstrumentOptions; readonly sums: boolean }): Gauge | undefined {
    if (this.gauges.size >= MOST_GAUGES) return undefined;
    const bySession: Gauge['bySession'] = new Map();
    const gauge: Gauge = { bySession, sums, remove: this.telemetry.gauge(name, { ...options, read: () => this.read(gauge) }) };
    this.gauges.set(name, gauge);
    return gauge;
  }

  /** Sums over all processes, or what the one that spoke last has said. */
  private read({ bySession, sums }: Gauge): readonly Kept[] {
    const all = new Map<string, Kept>();
    for (const [session, sets] of bySession) {
      if (!this.lives(session)) bySession.delete(session);
      else for (const [key, { labels, value }] of sets) all.set(key, { labels, value: sums ? value + (all.get(key)?.value ?? 0) : value });
    }
    return [...all.values()];
  }

  private refuse(name: string): void {
    if (this.warned) return;
    this.warned = true;
    this.log.warn('a metric of a handler has a name that is the engine\'s and is left out', { metric: name, remedy: 'choose a name of your own for it' });
  }
}

function labelsOf(attributes: Attributes): Labels {
  return Object.fromEntries(Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, typeof value === 'number' || typeof value === 'boolean' ? value : String(value).slice(0, LONGEST_LABEL)]));
}
