import { nearest } from './nearest.js';

/**
 * The class id that a misspelt one, or the end of one, most likely meant; undefined when none is close. Each part must be close: two
 * classes of the same form are not close just because they share "modules" and "Module". `HttpModule` and `http` mean
 * `modules::http::HttpModule`.
 */
export function nearestClass(written: string, names: readonly string[]): string | undefined {
  const parts = written.split('::');
  const whole = names.filter((name) => name.split('::').length === parts.length && endsLike(name, parts));
  if (whole.length > 0) return nearest(written, whole);
  const shorter = names.filter((name) => name.split('::').length > parts.length && endsLike(name, parts));
  const ends = shorter.map((name) => endOf(name, parts.length));
  // Two classes with the same end are told apart by nothing that was written.
  const end = shorter.length === 1 ? ends[0] : nearest(written, ends);
  return end !== undefined && ends.indexOf(end) === ends.lastIndexOf(end) ? shorter[ends.indexOf(end)] : undefined;
}

function endsLike(name: string, parts: readonly string[]): boolean {
  const others = name.split('::').slice(-parts.length);
  return others.every((other, index) => isLike(parts[index] ?? '', other));
}

/** `http` is like `HttpModule`, too. */
function isLike(written: string, part: string): boolean {
  return nearest(written, [part]) !== undefined || `${written}module`.toLowerCase() === part.toLowerCase();
}

function endOf(name: string, parts: number): string {
  return name.split('::').slice(-parts).join('::');
}
