import { DEDUPE_MS } from '@treadle/api';
import type { WireMessage } from './commands.js';

/** The message that used a key first, and until when that is known. */
export interface UsedKey {
  readonly id: string;
  readonly until: number;
}

/** Keys against repeats. */
export class UsedKeys {
  /** About in the order in which they end. */
  readonly all = new Map<string, UsedKey>();

  /** The message's own id, or that of the message that has used its key before. @param fresh keys of the same list, which are noted */
  firstId(message: WireMessage, now: number, fresh: Map<string, string>): string {
    const scope = scopeOf(message);
    if (scope === undefined) return message.id;
    const before = this.all.get(scope);
    if (before && before.until > usedAt(message, now)) return before.id;
    const first = fresh.get(scope) ?? message.id;
    fresh.set(scope, first);
    return first;
  }

  use(message: WireMessage, now: number): void {
    const scope = scopeOf(message);
    if (scope === undefined) return;
    this.all.delete(scope);
    this.all.set(scope, { id: message.id, until: usedAt(message, now) + DEDUPE_MS });
  }

  forget(now: number): void {
    for (const [scope, { until }] of this.all) {
      if (until > now) break;
      this.all.delete(scope);
    }
  }
}

/** Not later than now: an engine whose time is far ahead would keep all keys behind its own from being forgotten. */
function usedAt({ enqueuedAt }: WireMessage, now: number): number {
  return Math.min(enqueuedAt, now);
}

function scopeOf({ topic, to, dedupeKey }: WireMessage): string | undefined {
  if (dedupeKey === undefined) return undefined;
  return JSON.stringify(to === undefined ? ['topic', topic, dedupeKey] : ['step', to, dedupeKey]);
}
