import { nearest } from './nearest.js';

/**
 * The class id that a misspelt one, or the end of one, most likely meant; undefined when none is close. Each part must be close: two
 * classes of the same form are not close just because they share "modules" and "Module". `HttpModule` and `http` mean
 * `modules::http::HttpModule`, and `ObservabilityModule` means `modules::observability::OtelModule`.
 */
export function nearestClass(written: string, names: readonly string[]): string | undefined {
  const parts = written.split('::');
  const whole = names.filter((name) => name.split('::').length === parts.length && endsLike(name, parts));
  if (whole.length > 0) return whole.length === 1 ? whole[0] : nearest(written, whole);
  const shorter = names.filter((name) => name.split('::').length > parts.length && endsLike(name, parts));
  const ends = shorter.map((name) => endOf(name, parts.length));
  // Two classes with the same end are told apart by nothing that was written.
  const end = shorter.length === 1 ? ends[0] : nearest(written, ends);
  return end !== undefined && ends.indexOf(end) === ends.lastIndexOf(end) ? shorter[ends.indexOf(end)] : undefined;
}

function endsLike(name: string, parts: readonly string[]): boolean {
  const all = name.split('::');
  const [last = '', folder = ''] = [...all].reverse();
  const isIn = all.slice(-parts.length, -1).every((other, index) => isLike(parts[index] ?? '', other));
  return isIn && [last, `${folder}Module`].some((end) => isLike(parts.at(-1) ?? '', end));
}

/** `http` is like `HttpModule`, too. */
function isLike(written: string, part: string): boolean {
  return nearest(written, [part]) !== undefined || `${written}module`.toLowerCase() === part.toLowerCase();
}

function endOf(name: string, parts: number): string {
  return name.split('::').slice(-parts).join('::');
}
