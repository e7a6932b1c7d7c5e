import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { badRequest, type OrProblem, overloaded, PROBLEMS } from '../response/problem.js';
import type { ContentCoding } from './body-format.js';
import { type BodyBudget, BodyPieces } from './body-memory.js';
import type { DecodingTurns } from './decoding-turns.js';

export interface BodyDecoderOptions {
  readonly coding: ContentCoding;
  /** Largest body that may come out, in bytes. */
  readonly limit: number;
  readonly budget: BodyBudget;
  readonly turns: DecodingTurns;
  /** Called once, unless the decoder was stopped. */
  readonly done: (result: OrProblem<Buffer>) => void;
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

  private settle(result: OrProblem<Buffer>): void {
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

/** A stream that undoes a coding. `first`: the first byte of the body, for half of the clients leave out the frame of `deflate`. */
function decoderOf(coding: ContentCoding, first: number | undefined): Transform {
  switch (coding) {
    case 'gzip': return createGunzip();
    case 'br': return createBrotliDecompress();
    // @source RFC 1950, section 2.2: the low half of the first byte names the method, which is always 8
    case 'deflate': return first === undefined || (first & 0x0f) === 8 ? createInflate() : createInflateRaw();
  }
}
