import { type Clock, type Json, type StateEntry, type Unsubscribe, wallTime } from '@treadle/api';

/** A write, as people see it. */
export interface StateChange {
  readonly id: number;
  /** ISO 8601. */
  readonly at: string;
  readonly group: string;
  readonly key: string;
  /** Absent: there was none. */
  readonly before?: StateEntry;
  /** Absent: deleted. */
  readonly after?: StateEntry;
  /** The Step that wrote it; absent for the API and for modules. */
  readonly step?: string;
  readonly traceId?: string;
}

/** What a write left, before it has a number. */
export type NotedWrite = Pick<StateChange, 'group' | 'key' | 'step' | 'traceId'> & { readonly before: StateEntry | undefined; readonly after: StateEntry | undefined };

const MOST = 20_000;
const MOST_OF_KEY = 20;
/** Together, as JSON; bytes, roughly. */
const MOST_BYTES = 32 * 1024 * 1024;

interface Kept {
  readonly change: StateChange;
  readonly bytes: number;
}

/** The last writes of each key, in memory; that a whole group is cleared is not among them. Until somebody asks or follows, only what a person deletes is noted, unless all is from the start. */
export class StateHistory {
  /** By group and key, the oldest write first; keys by their first write that is kept. */
  private readonly keys = new Map<string, Kept[]>();
  private readonly listeners = new Set<(change: StateChange) => void>();
  private count = 0;
  private bytes = 0;
  private last = 0;
  private startedAt: string | undefined;

  constructor(private readonly clock: Clock) {}

  /** Notes writes from now on. Returns since when. */
  begin(): string {
    return this.startedAt ??= this.now();
  }

  /** Whether a write is worth its note. */
  get wanted(): boolean {
    return this.startedAt !== undefined || this.listeners.size > 0;
  }

  /** Keeps a write, if writes are noted by now or `always`, and tells who follows. Returns its id. */
  note({ group, key, step, traceId, before, after }: NotedWrite, always = false): number {
    const change: StateChange = {
      id: this.last += 1, at: this.now(), group, key, ...before && { before }, ...after && { after }, ...step !== undefined && { step },
      ...traceId !== undefined && { traceId },
    };
    if (always || this.startedAt !== undefined) this.keep(change);
    for (const listener of this.listeners) listener(change);
    return change.id;
  }

  /** The newest first. */
  of(group: string, key: string): readonly StateChange[] {
    return (this.keys.get(nameOf(group, key)) ?? []).map(({ change }) => change).reverse();
  }

  follow(listener: (change: StateChange) => void): Unsubscribe {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  private keep(change: StateChange): void {
    const name = nameOf(change.group, change.key);
    const changes = this.keys.get(name) ?? [];
    const kept = { change, bytes: sizeOf(change.before?.value) + sizeOf(change.after?.value) };
    changes.push(kept);
    this.keys.set(name, changes);
    this.count += 1;
    this.bytes += kept.bytes;
    if (changes.length > MOST_OF_KEY) this.drop(name, changes);
    while (this.count > MOST || this.bytes > MOST_BYTES) {
      const [oldest] = this.keys;
      if (!oldest) break;
      this.drop(...oldest);
    }
  }

  private drop(name: string, changes: Kept[]): void {
    const gone = changes.shift();
    this.count -= 1;
    this.bytes -= gone?.bytes ?? 0;
    if (changes.length === 0) this.keys.delete(name);
  }

  private now(): string {
    return new Date(wallTime(this.clock)).toISOString();
  }
}

function nameOf(group: string, key: string): string {
  return JSON.stringify([group, key]);
}

/** Bytes of a value, roughly; 64 for what is small. */
function sizeOf(value: Json | undefined): number {
  if (typeof value === 'string') return 64 + value.length;
  if (typeof value !== 'object' || value === null) return 64;
  return Object.entries(value).reduce((all, [name, part]) => all + name.length + sizeOf(part as Json), 64);
}
