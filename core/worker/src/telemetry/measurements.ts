import type { MetricPoint } from '@treadle/protocol';
import { putAttributes, shortName, type AttributeValue } from './span-limits.js';

/** Most series that are kept between two messages, and most values of a histogram. What is over is dropped. */
const MAX_SERIES = 2000;
const MAX_VALUES = 1000;
const MAX_LABELS = 16;

/** An instrument of OpenTelemetry's API. */
export interface Instrument {
  readonly name: string;
  readonly kind: MetricPoint['kind'];
  readonly unit?: string | undefined;
  readonly description?: string | undefined;
}

interface Series {
  readonly instrument: Instrument;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  value: number;
  readonly values: number[];
}

/** Sums up what code measures until it is sent. */
export class Measurements {
  readonly #series = new Map<string, Series>();

  get empty(): boolean {
    return this.#series.size === 0;
  }

  /** Takes a value; anything but a finite number is ignored, and for a counter anything below 0. */
  take(instrument: Instrument, value: number, attributes: unknown): void {
    const { kind } = instrument;
    if (!Number.isFinite(value) || (kind === 'counter' && value < 0)) return;
    const series = this.#seriesOf(instrument, attributes);
    if (!series) return;
    if (kind === 'gauge') series.value = value;
    else if (kind !== 'histogram') series.value += value;
    else if (series.values.length < MAX_VALUES) series.values.push(value);
  }

  /** What has gathered, which is forgotten with it. */
  drain(): MetricPoint[] {
    const points = [...this.#series.values()].map(toPoint);
    this.#series.clear();
    return points;
  }

  #seriesOf(instrument: Instrument, attributes: unknown): Series | undefined {
    const labels: Record<string, AttributeValue> = {};
    putAttributes(labels, attributes, MAX_LABELS);
    const key = `${instrument.kind} ${instrument.name} ${JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))}`;
    let series = this.#series.get(key);
    if (!series && this.#series.size < MAX_SERIES) this.#series.set(key, series = { instrument, attributes: labels, value: 0, values: [] });
    return series;
  }
}

function toPoint({ instrument, attributes, value, values }: Series): MetricPoint {
  const { name, kind, unit, description } = instrument;
  return {
    name: shortName(name), kind, ...(unit !== undefined && unit !== '' && { unit: shortName(unit) }),
    ...(description !== undefined && description !== '' && { description: shortName(description) }),
    ...(Object.keys(attributes).length > 0 && { attributes }), ...(kind === 'histogram' ? { values } : { value }),
  };
}
