import type { Queries } from './connections.js';

/** PostgreSQL takes less than 8,000 bytes. */
const MOST_BYTES = 7_000;

/**
 * Tells other engines what has changed, after it was committed and beside it: a notification within a transaction would
 * make the commits of all engines wait for each other. What is told while one is under way goes with the next.
 */
export class Notifier {
  private readonly waiting = new Map<string, Set<string>>();
  private sending = false;

  constructor(
    private readonly queries: Queries, private readonly channel: string, private readonly member: () => number, private readonly alone: () => boolean,
  ) {}

  /** Goes out soon, unless this engine is alone. What cannot be sent is found by the others' look at the store. */
  tell(kind: string, texts: Iterable<string>): void {
    if (!this.alone()) this.tellAll(kind, texts);
  }

  /** As `tell`, also when this engine believes that it is alone: for what is rare. */
  tellAll(kind: string, texts: Iterable<string>): void {
    const known = this.waiting.get(kind) ?? new Set<string>();
    for (const text of texts) known.add(text);
    this.waiting.set(kind, known);
    if (this.sending) return;
    this.sending = true;
    setImmediate(() => void this.send());
  }

  private async send(): Promise<void> {
    while (this.waiting.size > 0) {
      const payloads = [...this.waiting].flatMap(([kind, texts]) => payloadsOf(`${this.member()}|${kind}|`, [...texts]));
      this.waiting.clear();
      await this.queries.rows('SELECT pg_notify($1, p) FROM unnest($2::text[]) AS p', [this.channel, payloads], 'notify').catch(() => undefined);
    }
    this.sending = false;
  }
}

/** `,` between texts; as many payloads as their size needs. */
function payloadsOf(head: string, texts: readonly string[]): string[] {
  const payloads: string[] = [];
  let current = '';
  for (const text of texts) {
    if (current !== '' && Buffer.byteLength(current) + Buffer.byteLength(text) > MOST_BYTES) {
      payloads.push(head + current);
      current = '';
    }
    current += current === '' ? text : `,${text}`;
  }
  return [...payloads, head + current];
}
