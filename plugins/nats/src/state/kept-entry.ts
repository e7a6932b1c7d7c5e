import type { Json, StateEntry } from '@treadle/api';
import { CHANGES } from '../store/change-log.js';
import type { Stored } from '../store/jet-log.js';

const REVISION = 'Treadle-Revision';
const EXPIRES = 'Treadle-Expires';
const DELETED = 'Treadle-Deleted';
const OLD = 'Treadle-Old';
const ORIGIN = 'Treadle-Origin';

/** The last message of a key. */
export interface KeptEntry {
  readonly seq: number;
  readonly revision: number;
  /** JSON; undefined: the key was deleted. */
  readonly text: string | undefined;
  /** By the store's time. */
  readonly expiresAt: number | undefined;
  /** It is a change for triggers. */
  readonly recorded: boolean;
  /** Message of the value that it replaced, where it is a change and there was one. */
  readonly old: number | undefined;
  readonly origin: string | undefined;
}

export function keptOf(message: Stored): KeptEntry {
  const number = (name: string): number | undefined => {
    const text = message.header(name);
    return text === undefined ? undefined : Number(text);
  };
  const origin = message.header(ORIGIN);
  return {
    seq: message.seq, revision: number(REVISION) ?? 0, text: message.header(DELETED) === undefined ? message.text : undefined,
    expiresAt: number(EXPIRES), recorded: number(CHANGES) !== undefined, old: number(OLD),
    origin: origin === undefined ? undefined : Buffer.from(origin, 'base64url').toString('utf16le'),
  };
}

/** Headers of a message; what it holds is its text. */
export function headersOf({ revision, text, expiresAt, recorded, old, origin }: Omit<KeptEntry, 'seq'>): Record<string, string | undefined> {
  return {
    [REVISION]: String(revision), [EXPIRES]: expiresAt === undefined ? undefined : String(expiresAt), [DELETED]: text === undefined ? '1' : undefined,
    ...recorded && {
      [CHANGES]: '1', [OLD]: old === undefined ? undefined : String(old),
      [ORIGIN]: origin === undefined ? undefined : `${Buffer.from(origin, 'utf16le').toString('base64url')}`,
    },
  };
}

export function isLive(entry: KeptEntry | undefined, now: number): entry is KeptEntry & { readonly text: string } {
  return entry?.text !== undefined && (entry.expiresAt === undefined || entry.expiresAt > now);
}

/** The entry as callers see it. */
export function entryOf({ text, revision }: { readonly text: string; readonly revision: number }): StateEntry {
  return { value: JSON.parse(text) as Json, revision };
}
