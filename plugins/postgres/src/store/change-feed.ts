import type { SharedChanges, Unsubscribe } from '@treadle/api';
import type { PgStore } from './pg-store.js';

interface Feed {
  /** Name of the task that one engine does for all. */
  readonly task: string;
  /** Of its notices; one letter. */
  readonly kind: string;
  /** Where the changes wait. */
  readonly table: string;
}

/** Pending changes of a table: which engine hands them on, and who is told that there are some. */
export class ChangeFeed implements SharedChanges {
  private readonly listeners = new Set<() => void>();
  private readonly unlisten: Unsubscribe;

  constructor(private readonly store: PgStore, private readonly feed: Feed) {
    this.unlisten = store.listen({
      notice: ({ kind }) => {
        if (kind === feed.kind) this.tell();
      },
      beat: async () => {
        const found = await store.connections.rows(`SELECT 1 FROM ${feed.table} LIMIT 1`);
        if (found.length > 0) this.tell();
      },
    });
  }

  async lead(leaseMs: number): Promise<boolean> {
    const { connections, members } = this.store;
    const values = [this.feed.task, members.member, Math.ceil(leaseMs)];
    const [row] = await connections.rows<{ leads: boolean }>('SELECT member_lead($1, $2, $3) AS leads', values, 'lead');
    return row?.leads ?? false;
  }

  onChanges(listener: () => void): Unsubscribe {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** A change of this engine was stored: others may have to hand it on. */
  stored(): void {
    this.store.notifier.tell(this.feed.kind, ['']);
  }

  close(): void {
    this.unlisten();
    this.listeners.clear();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
