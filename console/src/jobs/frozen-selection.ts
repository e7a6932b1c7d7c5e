import { createHash } from 'node:crypto';
import type { AdminCatalog } from '@treadle/api';
import { invalidArgument } from '@treadle/api';
import { askModule } from '../api/ask-module.js';
import type { DeadLetterIds, Page, SelectionRequest } from '../contract/index.js';
import { Refusal } from '../server/refusal.js';

/** Ids that one selection may hold. */
export const MOST_IDS = 100_000;
const PAGE = 1_000;
const MEMBERS: Readonly<Record<SelectionRequest['kind'], readonly string[]>> = {
  'dead-letters': ['kind', 'step', 'topic', 'reason', 'fingerprint', 'q', 'ids'], 'state-keys': ['kind', 'group', 'prefix', 'keys'],
};

/** The objects that are meant, in their order. */
export interface FrozenIds {
  readonly kind: SelectionRequest['kind'];
  /** Of keys: the group that they are in. */
  readonly group?: string;
  /** Of letters that were chosen by it. */
  readonly topic?: string;
  readonly ids: readonly string[];
  readonly truncated: boolean;
}

/** @throws {Refusal}, AdminError 400 for what cannot be, 404 without the module */
export async function freeze(catalog: AdminCatalog, body: unknown): Promise<FrozenIds> {
  const request = checked(body);
  if (request.kind === 'dead-letters') return { kind: 'dead-letters', ...request.topic !== undefined && { topic: request.topic }, ...await lettersOf(catalog, request) };
  return { kind: 'state-keys', group: request.group, ...await keysOf(catalog, request) };
}

/** SHA-256 of the ids, as hex. */
export function hashOf(ids: readonly string[]): string {
  const hash = createHash('sha256');
  for (const id of ids) hash.update(`${id}\n`);
  return hash.digest('hex');
}

async function lettersOf(catalog: AdminCatalog, { ids, kind: _kind, ...filter }: Extract<SelectionRequest, { kind: 'dead-letters' }>): Promise<Pick<FrozenIds, 'ids' | 'truncated'>> {
  if (ids) return named(ids);
  const answer = await askModule<DeadLetterIds>(catalog, { block: 'queue', path: '/dead-letters/ids', query: filter });
  if (!answer) throw notLoaded('queue');
  return { ids: answer.items, truncated: answer.truncated };
}

async function keysOf(catalog: AdminCatalog, { group, prefix, keys }: Extract<SelectionRequest, { kind: 'state-keys' }>): Promise<Pick<FrozenIds, 'ids' | 'truncated'>> {
  if (keys) return named(keys);
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: String(PAGE), ...prefix !== undefined && { prefix }, ...cursor !== undefined && { cursor } };
    const page: Page<{ readonly key: string }> | undefined = await askModule(catalog, { block: 'state', path: '/groups/:group/keys', params: { group }, query });
    if (!page) throw notLoaded('state');
    ids.push(...page.items.map(({ key }) => key));
    ({ cursor } = page);
  } while (cursor !== undefined && ids.length < MOST_IDS);
  return { ids: ids.slice(0, MOST_IDS), truncated: cursor !== undefined || ids.length > MOST_IDS };
}

function named(ids: readonly string[]): Pick<FrozenIds, 'ids' | 'truncated'> {
  const all = [...new Set(ids)];
  return { ids: all.slice(0, MOST_IDS), truncated: all.length > MOST_IDS };
}

function checked(body: unknown): SelectionRequest {
  const given = (body ?? {}) as Readonly<Record<string, unknown>>;
  const kind = given['kind'] as SelectionRequest['kind'];
  if (!Object.hasOwn(MEMBERS, kind)) throw invalidArgument(`"kind" must be one of ${Object.keys(MEMBERS).join(', ')}`);
  for (const [name, value] of Object.entries(given)) {
    if (!MEMBERS[kind].includes(name)) throw invalidArgument(`a selection of ${kind} has no "${name.slice(0, 100)}"; it has ${MEMBERS[kind].slice(1).join(', ')}`);
    const isList = name === 'ids' || name === 'keys';
    if (isList ? !isTexts(value) : typeof value !== 'string') throw invalidArgument(`"${name}" must be ${isList ? 'a list of texts' : 'a text'}`);
  }
  if (given['q'] !== undefined && given['ids'] !== undefined) throw invalidArgument('"q" and "ids" exclude each other: name the letters, or say which fit');
  if (kind === 'state-keys' && given['group'] === undefined) throw invalidArgument('"group" is missing');
  return given as unknown as SelectionRequest;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function notLoaded(block: string): Refusal {
  return new Refusal(404, 'module_not_loaded', `this engine has no ${block} module`);
}
