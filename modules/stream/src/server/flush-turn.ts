import type { Turn } from '@treadle/api';

/** Sockets written to in one turn of the event loop; the others' turn comes after what else there is to do. */
const SOCKETS_A_TURN = 512;

/** What is collected for one socket. */
export interface Flushable {
  flush(): void;
}

/** Writes what was collected for each socket once a turn, in one write. */
export class FlushTurn {
  private waiting: Flushable[] = [];
  private lastFrames: readonly Buffer[] = [];
  private lastJoined: Buffer | undefined;
  private readonly askFlush: () => void;

  constructor(turn: Turn) {
    this.askFlush = turn.at('frames', () => this.flush());
  }

  /** The outbox has something to send. Called once until it is flushed. */
  add(outbox: Flushable): void {
    this.waiting.push(outbox);
    this.askFlush();
  }

  /** The frames as one piece. Sockets that are sent the same frames share it. */
  joined(frames: readonly Buffer[]): Buffer {
    const [only] = frames;
    if (frames.length === 1 && only) return only;
    if (!this.lastJoined || !same(frames, this.lastFrames)) {
      this.lastJoined = Buffer.concat(frames);
      this.lastFrames = frames;
    }
    return this.lastJoined;
  }

  private flush(): void {
    const { waiting } = this;
    const rest = waiting.length > SOCKETS_A_TURN ? waiting.splice(SOCKETS_A_TURN) : [];
    this.waiting = rest;
    for (const outbox of waiting) outbox.flush();
    this.lastFrames = [];
    this.lastJoined = undefined;
    if (this.waiting.length > 0) this.askFlush();
  }
}

function same(a: readonly Buffer[], b: readonly Buffer[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
}
