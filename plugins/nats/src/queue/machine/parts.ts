import type { Command, LogEntry } from './commands.js';
import type { BodyRef } from './delivery.js';

/** Parts whose entry has not come by then are given up; milliseconds. */
const PART_MS = 60_000;

/** What has come of an entry that has not come itself: bodies, and pieces of its commands. */
export interface Part {
  readonly at: number;
  readonly bodies: readonly BodyRef[];
  readonly pieces: readonly string[];
}

/** An entry with all that belongs to it; without commands: some of its parts have not come. */
interface Whole {
  readonly bodies: readonly BodyRef[];
  readonly commands: readonly Command[] | undefined;
}

/** Puts entries together that come in several messages. */
export class Parts {
  readonly all = new Map<string, Part>();

  /** Keeps what comes before its entry. */
  add(entry: LogEntry, now: number): void {
    const { bodies, pieces } = this.before(entry);
    const { piece } = entry;
    this.all.set(nameOf(entry), { at: now, bodies: [...bodies, ...entry.bodies], pieces: piece === undefined ? pieces : [...pieces, piece] });
  }

  /** Takes what has come before the entry. */
  take(entry: LogEntry): Whole {
    const { bodies: before, pieces } = this.before(entry);
    this.all.delete(nameOf(entry));
    const isWhole = before.length === (entry.parts ?? 0) && pieces.length === (entry.pieces ?? 0);
    const commands = pieces.length > 0 && isWhole ? JSON.parse(pieces.join('')) as readonly Command[] : entry.commands;
    return { bodies: [...before, ...entry.bodies], commands: isWhole ? commands : undefined };
  }

  /** Gives up what is old, and gives its bodies. */
  forget(now: number): readonly BodyRef[] {
    const old = [...this.all].filter(([, { at }]) => at <= now - PART_MS);
    for (const [name] of old) this.all.delete(name);
    return old.flatMap(([, { bodies }]) => bodies);
  }

  private before(entry: LogEntry): Pick<Part, 'bodies' | 'pieces'> {
    return this.all.get(nameOf(entry)) ?? { bodies: [], pieces: [] };
  }
}

function nameOf({ member, number }: LogEntry): string {
  return `${member} ${number}`;
}
