export type Zone = 'utc' | 'local' | 'relative';

const pad = (value: number, size = 2): string => String(value).padStart(size, '0');

/** `10:28:47.212`, with the date unless it is today. */
export function clockTime(at: number, zone: Zone, now = Date.now()): string {
  if (zone === 'relative') return relative(at, now);
  const date = shifted(at, zone);
  const text = `${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}:${pad(date.getUTCSeconds())}.${pad(date.getUTCMilliseconds(), 3)}`;
  return day(at, zone) === day(now, zone) ? text : `${day(at, zone)} ${text}`;
}

/** `2026-11-24 09:00` */
export function minuteTime(at: number, zone: Zone, now = Date.now()): string {
  if (zone === 'relative') return relative(at, now);
  const date = shifted(at, zone);
  return `${day(at, zone)} ${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}`;
}

/** A moment that a person wrote in a field, e.g. `2026-11-24T09:00`; undefined when it is none. */
export function writtenTime(text: string, zone: Zone): number | undefined {
  const at = Date.parse(zone === 'utc' ? `${text}Z` : text);
  return Number.isFinite(at) ? at : undefined;
}

/** What such a field holds for a moment, to the second; empty for what is no time. */
export function fieldTime(moment: string, zone: Zone): string {
  const at = Date.parse(moment);
  return Number.isNaN(at) ? '' : shifted(at, zone === 'utc' ? 'utc' : 'local').toISOString().slice(0, 'YYYY-MM-DDThh:mm:ss'.length);
}

/** All three forms, for the hover. */
export function everyTime(at: number, now = Date.now()): string {
  const local = -new Date(at).getTimezoneOffset();
  const offset = `${local < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(local) / 60))}:${pad(Math.abs(local) % 60)}`;
  return `${new Date(at).toISOString()} (UTC)\n${new Date(at + local * 60_000).toISOString().replace('Z', offset)} (local)\n${relative(at, now)}`;
}

export function relative(at: number, now: number): string {
  const seconds = Math.round(Math.abs(now - at) / 1000);
  const text = seconds < 60 ? `${seconds} s` : seconds < 3600 ? `${Math.round(seconds / 60)} min` : seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
  return at <= now ? `${text} ago` : `in ${text}`;
}

function day(at: number, zone: Zone): string {
  return shifted(at, zone).toISOString().slice(0, 10);
}

/** A date whose UTC parts are those of the zone. */
function shifted(at: number, zone: Zone): Date {
  return new Date(zone === 'local' ? at - new Date(at).getTimezoneOffset() * 60_000 : at);
}
