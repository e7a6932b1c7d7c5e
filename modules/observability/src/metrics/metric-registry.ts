import { type GaugeOptions, type InstrumentOptions, isSecretField, type Labels, REDACTED, redactText, type Unsubscribe } from '@treadle/api';
import { Counter, Histogram, labelsKey, OVERFLOW } from './series.js';

/** Most series of one name; all further ones share one. */
export const MAX_SERIES = 2000;
/** Most names; beyond them nothing is kept. */
export const MAX_NAMES = 1000;

/** What a metric is at the moment. */
export type MetricReading = InstrumentOptions & { readonly name: string } & (
  | { readonly kind: 'counter'; readonly series: readonly Counter[] }
  | { readonly kind: 'histogram'; readonly series: readonly Histogram[] }
  | { readonly kind: 'gauge'; readonly series: readonly { readonly value: number; readonly labels: Labels }[] }
);

interface Family<S> {
  readonly options: InstrumentOptions;
  readonly series: Map<string, S>;
  overflow: S | undefined;
}

/** All metrics of the engine. Looking a series up costs more than using it: callers keep it. */
export class MetricRegistry {
  private readonly counters = new Map<string, Family<Counter>>();
  private readonly histograms = new Map<string, Family<Histogram>>();
  private readonly gauges = new Map<string, Set<GaugeOptions>>();
  /** What its counters and histograms count since, in milliseconds since the epoch; the store sets it before anything is counted. */
  since = 0;
  /** False: nothing is told of. Who holds a series goes on with it, so that it counts on when metrics are turned on again. */
  reporting = true;

  counter(name: string, labels: Labels, options: InstrumentOptions): Counter {
    return seriesOf(this.counters, { name, options, labels }, (own) => new Counter(own));
  }

  histogram(name: string, labels: Labels, options: InstrumentOptions): Histogram {
    return seriesOf(this.histograms, { name, options, labels }, (own) => new Histogram(own));
  }

  /** Several gauges of one name are one metric. */
  gauge(name: string, options: GaugeOptions): Unsubscribe {
    const known = this.gauges.get(name) ?? new Set();
    if (this.gauges.size < MAX_NAMES) this.gauges.set(name, known);
    known.add(options);
    return () => {
      known.delete(options);
      if (known.size === 0) this.gauges.delete(name);
    };
  }

  /** Every metric by name, with what its series are now. */
  read(): readonly MetricReading[] {
    if (!this.reporting) return [];
    const counters = [...this.counters].map(([name, family]) => ({ kind: 'counter' as const, name, ...family.options, series: seriesIn(family) }));
    const histograms = [...this.histograms].map(([name, family]) => ({ kind: 'histogram' as const, name, ...family.options, series: seriesIn(family) }));
    const gauges = [...this.gauges].map(([name, readers]) => readGauge(name, [...readers]));
    return [...counters, ...histograms, ...gauges].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

interface Wanted { readonly name: string; readonly labels: Labels; readonly options: InstrumentOptions }

function seriesOf<S>(families: Map<string, Family<S>>, { name, labels, options }: Wanted, make: (labels: Labels) => S): S {
  let family = families.get(name);
  if (!family) {
    if (families.size >= MAX_NAMES) return make(OVERFLOW);
    family = { options: { description: options.description, unit: options.unit }, series: new Map(), overflow: undefined };
    families.set(name, family);
  }
  const safe = safeLabels(labels);
  const key = labelsKey(safe);
  const known = family.series.get(key);
  if (known) return known;
  if (family.series.size >= MAX_SERIES) return family.overflow ??= make(OVERFLOW);
  const made = make(safe);
  family.series.set(key, made);
  return made;
}

function seriesIn<S>({ series, overflow }: Family<S>): readonly S[] {
  return [...series.values(), ...overflow === undefined ? [] : [overflow]];
}

function safeLabels(labels: Labels): Labels {
  const safe: Record<string, string | number | boolean> = {};
  for (const [key, value] of Object.entries(labels)) {
    safe[key] = isSecretField(key, value) ? REDACTED : typeof value === 'string' ? redactText(value).slice(0, MAX_LABEL_LENGTH) : value;
  }
  return Object.freeze(safe);
}

const MAX_LABEL_LENGTH = 256;

function readGauge(name: string, readers: readonly GaugeOptions[]): MetricReading {
  const { description, unit } = readers[0] ?? { description: '', unit: '' };
  const series = readers.flatMap(({ read }) => readSafely(read)).slice(0, MAX_SERIES)
    .map(({ value, labels }) => ({ value, labels: safeLabels(labels) }));
  return { kind: 'gauge', name, description, unit, series };
}

/** One gauge that fails must not hide the others. */
function readSafely(read: GaugeOptions['read']): ReturnType<GaugeOptions['read']> {
  try {
    return read().filter(({ value }) => Number.isFinite(value));
  } catch {
    // Its owner is stopping, or has a defect that shows elsewhere; there is no value.
    return [];
  }
}
