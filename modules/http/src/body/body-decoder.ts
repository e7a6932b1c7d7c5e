import type { Transform } from 'node:stream';
import { badRequest, overloaded, type Problem, PROBLEMS } from '../problem.js';
import type { BodyBudget } from './body-reader.js';
import { BodyPieces } from './body-pieces.js';
import { type ContentCoding, decoderOf } from './content-coding.js';
import type { DecodingTurns } from './decoding-turns.js';

export interface BodyDecoderOptions {
  readonly coding: ContentCoding;
  /** Largest body that may come out, in bytes. */
  readonly limit: number;
  readonly budget: BodyBudget;
  readonly turns: DecodingTurns;
  /** Called once, unless the decoder was stopped. */
  readonly done: (result: Buffer | Problem) => void;
}

/** Undoes the content encoding of a body. What comes out is counted while it comes: a bomb costs no more than its limit. */
export class BodyDecoder {
  private readonly pieces = new BodyPieces();
  private readonly endTurn: () => void;
  private size = 0;
  private stream: Transform | undefined;
  private over = false;

  constructor(coded: Buffer, private readonly options: BodyDecoderOptions) {
    this.endTurn = options.turns.enter(() => this.begin(coded));
  }

  /** Stops decoding and gives its memory back. Idempotent; to be called when the request is over in any way. */
  stop(): void {
    if (this.size > 0) this.options.budget.give(this.size);
    this.size = 0;
    this.end();
    this.pieces.clear();
  }

  private begin(coded: Buffer): void {
    const stream = decoderOf(this.options.coding, coded[0]);
    this.stream = stream;
    stream.on('data', (piece: Buffer) => this.take(piece));
    stream.on('end', () => this.settle(this.pieces.take()));
    stream.on('error', () => this.settle(badRequest('The body is not in the encoding that its Content-Encoding names')));
    stream.end(coded);
  }

  private take(piece: Buffer): void {
    const { limit, budget } = this.options;
    if (this.over) return;
    if (this.size + piece.length > limit) this.settle(PROBLEMS.bodyTooLarge);
    else if (!budget.take(piece.length)) this.settle(overloaded());
    else {
      this.size += piece.length;
      this.pieces.add(piece);
    }
  }

  private settle(result: Buffer | Problem): void {
    if (this.over) return;
    this.end();
    this.options.done(result);
  }

  private end(): void {
    if (this.over) return;
    this.over = true;
    this.stream?.destroy();
    this.endTurn();
  }
}
