import type { MetricPoint } from '@treadle/api';
import { checkedAttributes } from './checked-spans.js';

const MOST = { points: 2000, values: 1000, labels: 16 } as const;
const LONGEST_TEXT = 256;
/** @source OpenTelemetry's metrics API: names of instruments */
const NAME = /^[A-Za-z][A-Za-z0-9_.\-/]{0,254}$/;
const KINDS: ReadonlySet<unknown> = new Set<MetricPoint['kind']>(['counter', 'updown', 'histogram', 'gauge']);

/** What of a worker's measurements can be believed. */
export function checkedPoints(points: readonly unknown[]): readonly MetricPoint[] {
  return points.slice(0, MOST.points).map(checkedPoint).filter((point) => point !== undefined);
}

function checkedPoint(point: unknown): MetricPoint | undefined {
  const { name, kind, unit, description, attributes, value, values } = (point ?? {}) as Partial<Record<keyof MetricPoint, unknown>>;
  if (typeof name !== 'string' || !NAME.test(name) || !KINDS.has(kind)) return undefined;
  const head = { name, kind: kind as MetricPoint['kind'], unit: text(unit), description: text(description), attributes: checkedAttributes(attributes, MOST.labels) };
  if (kind === 'histogram') return Array.isArray(values) ? { ...head, values: values.slice(0, MOST.values).filter(Number.isFinite) } : undefined;
  return Number.isFinite(value) && (kind !== 'counter' || (value as number) >= 0) ? { ...head, value: value as number } : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, LONGEST_TEXT) : undefined;
}
