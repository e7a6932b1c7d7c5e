import type { Labels } from '../../api/types.generated.js';

const MINUTE_MS = 60_000;
/** Labels of metrics that queries of traces have a shorter word for. */
const FIELDS: Readonly<Record<string, string>> = { 'http.route': 'route', 'http.response.status_code': 'http.status', 'step.name': 'step', step: 'step', 'messaging.destination.name': 'topic', topic: 'topic', 'step.trigger': 'trigger' };

/** The traces that began in the minute before a point of a line, as an address. Labels that traces have too narrow them. */
export function tracesAt(seconds: number, labels: Labels): string {
  const search = new URLSearchParams();
  const words = Object.entries(labels).flatMap(([label, value]) => (FIELDS[label] === undefined ? [] : [`${FIELDS[label]}:${/^[\w./:*{}-]+$/.test(String(value)) ? String(value) : JSON.stringify(String(value))}`]));
  if (words.length > 0) search.set('q', words.join(' '));
  search.set('from', new Date(seconds * 1000 - MINUTE_MS).toISOString());
  search.set('to', new Date(seconds * 1000).toISOString());
  return `/traces?${search.toString()}`;
}
