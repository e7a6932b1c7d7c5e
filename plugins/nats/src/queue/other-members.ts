import type { Member } from './machine/members.js';
import type { QueueMachine } from './machine/queue-machine.js';

/** So many beats of our own without an entry of another engine, and it counts as gone. */
const SILENT_BEATS = 3;
/** One that starts takes an engine for gone of which nothing has come for longer; milliseconds by the store's time. */
const GONE_MS = 4_000;

/** A member that counts as gone, unless something has come of it since. */
export interface Gone {
  readonly member: string;
  readonly seen: number;
}

/** Finds engines that have ended without a word, or hang. */
export class OtherMembers {
  private readonly watched = new Map<string, { readonly seq: number; readonly beats: number }>();

  /** At a start: those of which nothing has come for a while. */
  gone(machine: QueueMachine, own: string): readonly Gone[] {
    return othersOf(machine, own).filter(([, { at }]) => at < machine.now - GONE_MS).map(([member, { seq }]) => ({ member, seen: seq }));
  }

  /** At each beat, after an entry of our own: those of which nothing has come for some beats. */
  silent(machine: QueueMachine, own: string): readonly Gone[] {
    const others = othersOf(machine, own);
    for (const member of this.watched.keys()) if (!machine.members.has(member)) this.watched.delete(member);
    return others.flatMap(([member, { seq }]) => {
      const before = this.watched.get(member);
      const beats = before?.seq === seq ? before.beats + 1 : 0;
      this.watched.set(member, { seq, beats });
      return beats >= SILENT_BEATS ? [{ member, seen: seq }] : [];
    });
  }
}

function othersOf({ members }: QueueMachine, own: string): (readonly [string, Member])[] {
  return [...members.living].filter(([member]) => member !== own);
}
