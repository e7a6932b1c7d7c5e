import type { DeclaredTriggerKind } from '@treadle/api';
import type { Finding } from './finding.js';

type Keys = Readonly<Record<string, unknown>>;

/** Trigger kinds that other frameworks name otherwise; without a trigger a Step is only drawn. */
export const FOREIGN_KINDS: Readonly<Record<string, string | undefined>> = { api: 'http', event: 'queue', noop: '' };

/** Keys of a config that other frameworks name otherwise. */
const RENAMED: Readonly<Record<string, string>> = { emits: 'enqueues', virtualEmits: 'virtualEnqueues' };

/** A config without what is written as other frameworks have it, and the one finding about that. */
export interface Translated {
  readonly rest: Keys;
  readonly finding: Finding;
}

/**
 * Finds a config whose trigger stands beside its name (`type: 'api', path`, `subscribes`, `cron`), or that says `emits`. The finding names
 * all such keys at once and how they are written here. Undefined for any other config. `known`: keys of a Step's config.
 */
export function foreignConfig(config: Keys, known: readonly string[], kinds: readonly DeclaredTriggerKind[]): Translated | undefined {
  const kind = 'triggers' in config ? undefined : kindOf(config);
  const isForeign = (key: string): boolean => (kind === undefined ? Object.hasOwn(RENAMED, key) : !known.includes(key));
  const keys = Object.keys(config).filter(isForeign);
  if (keys.length === 0) return undefined;
  const parts = kind === undefined ? [] : [`"triggers": [${triggersOf(config, kind, keys, kinds).join(', ')}]`];
  for (const key of keys) if (Object.hasOwn(RENAMED, key)) parts.push(`"${RENAMED[key]}": ${JSON.stringify(topicsOf(config[key]))}`);
  const rest = Object.fromEntries(Object.entries(config).filter(([key]) => !keys.includes(key)));
  return { rest: kind === undefined ? rest : { ...rest, triggers: [] }, finding: finding(keys, parts) };
}

function finding([first, ...others]: readonly string[], parts: readonly string[]): Finding {
  const nor = others.length > 0 ? `, nor ${others.join(', ')}` : '';
  return { code: 'STEP_UNKNOWN_KEY', message: `config: a Step config has no key "${first}"${nor}`, remedy: `write ${parts.join(', ')}; "treadle migrate" does it in all files` };
}

/** The kind of the trigger by its name here; empty for none at all. */
function kindOf({ type, subscribes, cron }: Keys): string | undefined {
  if (typeof type === 'string') return Object.hasOwn(FOREIGN_KINDS, type) ? FOREIGN_KINDS[type] : type;
  if (subscribes !== undefined) return 'queue';
  return cron === undefined ? undefined : 'cron';
}

/** What `triggers` should hold, as text. */
function triggersOf({ subscribes, cron, ...config }: Keys, kind: string, keys: readonly string[], kinds: readonly DeclaredTriggerKind[]): readonly string[] {
  if (kind === '') return [];
  const takes = kinds.find(({ type }) => type === kind)?.schema.properties;
  const moved = keys.filter((key) => key !== 'type' && key in config && (takes === undefined ? !Object.hasOwn(RENAMED, key) : Object.hasOwn(takes, key)));
  const members = moved.map((key) => [key, config[key]] as const);
  if (cron !== undefined) members.unshift(['expression', cron]);
  const trigger = (more: typeof members): string => written([['type', kind], ...more, ...members]);
  return subscribes === undefined ? [trigger([])] : topicsOf(subscribes).map((topic) => trigger([['topic', topic]]));
}

/** Values that are more than a text or number are the application's to move. */
function written(members: readonly (readonly [string, unknown])[]): string {
  return `{ ${members.map(([key, value]) => `"${key}": ${typeof value === 'object' ? '…' : JSON.stringify(value)}`).join(', ')} }`;
}

/** A topic may stand in an object that also says how to draw it. */
function topicsOf(value: unknown): readonly unknown[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.map((item) => (typeof item === 'object' && item !== null && 'topic' in item ? item.topic : item));
}
