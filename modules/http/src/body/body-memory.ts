/** Smallest piece that is kept as it came, in bytes. */
const LARGE_PIECE = 2048;
const BLOCK_BYTES = 4096;

/**
 * The pieces of a body. A buffer costs some 400 bytes beside its content, and the client chooses the pieces: a megabyte in chunks of one
 * byte would take 400. So small ones share blocks, and memory stays below four times the bytes of the body.
 */
export class BodyPieces {
  private readonly buffers: Buffer[] = [];
  private block: Buffer | undefined;
  private filled = 0;

  /** Buffers in use. */
  get count(): number {
    return this.buffers.length + (this.block === undefined ? 0 : 1);
  }

  add(piece: Buffer): void {
    // The first one is nearly always the whole body.
    if (piece.length < LARGE_PIECE && this.buffers.length > 0) {
      this.append(piece);
      return;
    }
    this.closeBlock();
    this.buffers.push(piece);
  }

  /** Gives all bytes, in order, and keeps none of them. */
  take(): Buffer {
    this.closeBlock();
    const { buffers } = this;
    const whole = buffers.length === 1 ? buffers[0] as Buffer : Buffer.concat(buffers);
    this.clear();
    return whole;
  }

  clear(): void {
    this.buffers.length = this.filled = 0;
    this.block = undefined;
  }

  private append(piece: Buffer): void {
    if (this.filled + piece.length > BLOCK_BYTES) this.closeBlock();
    this.block ??= Buffer.allocUnsafe(BLOCK_BYTES);
    this.filled += piece.copy(this.block, this.filled);
  }

  private closeBlock(): void {
    if (this.block !== undefined) this.buffers.push(this.block.subarray(0, this.filled));
    this.block = undefined;
    this.filled = 0;
  }
}

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
