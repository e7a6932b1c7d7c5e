import type { IncomingMessage, ServerResponse } from 'node:http';
import { overloaded, type Problem, PROBLEMS } from '../problem.js';
import { type BodyTaker, giveBodyBack, takeBody } from '../short-cuts.js';
import { BodyPieces } from './body-pieces.js';

/** Bytes of bodies in memory, of all requests together. */
export class BodyBudget {
  private held = 0;

  constructor(public maxBytes: number) {}

  /** False when there is no room for these bytes. */
  take(bytes: number): boolean {
    if (this.held + bytes > this.maxBytes) return false;
    this.held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.held -= bytes;
  }
}

export interface BodyReaderOptions {
  readonly limit: number;
  readonly budget: BodyBudget;
  /** The client asks for "100 Continue" first: told here. */
  readonly expectsContinue?: ServerResponse | undefined;
  /** Plugins see the request as well: its stream has to be read as one. */
  readonly shared: boolean;
  /** Called once, unless the reader was stopped. */
  readonly done: (result: Buffer | Problem) => void;
}

/** Collects a request body, counting while it comes: a `content-length` is a promise, not a fact. */
export class BodyReader implements BodyTaker {
  private readonly pieces = new BodyPieces();
  private size = 0;
  private finished = false;

  constructor(private readonly request: IncomingMessage, private readonly options: BodyReaderOptions) {
    if (options.shared || !takeBody(request, this)) {
      request.on('data', this.onData);
      request.on('end', this.onEnd);
      // A middleware may have paused it.
      request.resume();
    }
    options.expectsContinue?.writeContinue();
  }

  /** Stops reading and gives its memory back. Idempotent; to be called when the request is over in any way. */
  stop(): void {
    if (this.size > 0) this.options.budget.give(this.size);
    this.size = 0;
    if (this.finished) return;
    this.finished = true;
    giveBodyBack(this.request);
    this.request.off('data', this.onData);
    this.request.off('end', this.onEnd);
    this.pieces.clear();
  }

  readonly onData = (chunk: Buffer): void => {
    const { limit, budget } = this.options;
    if (this.size + chunk.length > limit) this.refuse(PROBLEMS.bodyTooLarge);
    else if (!budget.take(chunk.length)) this.refuse(overloaded());
    else {
      this.size += chunk.length;
      this.pieces.add(chunk);
    }
  };

  readonly onEnd = (): void => {
    this.finished = true;
    this.options.done(this.pieces.take());
  };

  private refuse(problem: Problem): void {
    this.stop();
    this.options.done(problem);
  }
}
