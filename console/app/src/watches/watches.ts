/** Something that stays in sight in all views; kept in this browser. A key has no end, all others are through at some time. */
export type Watch =
  | { readonly kind: 'key'; readonly group: string; readonly key: string }
  | { readonly kind: 'trace'; readonly id: string; readonly name: string }
  | { readonly kind: 'topic'; readonly topic: string }
  | { readonly kind: 'logs'; readonly q: string };

const MOST = 8;
const MEMBERS: Readonly<Record<Watch['kind'], readonly string[]>> = { key: ['group', 'key'], trace: ['id', 'name'], topic: ['topic'], logs: ['q'] };

/** Those that are kept, the first one first. */
export function readWatches(text: string | null): readonly Watch[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter(isWatch).slice(0, MOST) : [];
  } catch {
    return []; // Written by hand, or cut.
  }
}

function isWatch(value: unknown): value is Watch {
  if (typeof value !== 'object' || value === null) return false;
  const given = value as Readonly<Record<string, unknown>>;
  const kind = given['kind'];
  return typeof kind === 'string' && Object.hasOwn(MEMBERS, kind) && MEMBERS[kind as Watch['kind']].every((name) => typeof given[name] === 'string');
}

/** Tells watches apart. */
export function watchName(watch: Watch): string {
  const { kind } = watch;
  return JSON.stringify([kind, ...kind === 'key' ? [watch.group, watch.key] : kind === 'trace' ? [watch.id] : kind === 'topic' ? [watch.topic] : [watch.q]]);
}

/** Without this one where it was there, else with it. */
export function toggledWatch(watches: readonly Watch[], watch: Watch): readonly Watch[] {
  const rest = watches.filter((one) => watchName(one) !== watchName(watch));
  return rest.length < watches.length ? rest : [...watches, watch].slice(-MOST);
}
