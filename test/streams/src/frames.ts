/** A frame of a server, not masked. @source RFC 6455, section 5.2 */
export interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** Takes a connection's bytes apart. Frames share the memory of the bytes they came in. */
export class FrameSplitter {
  private rest: Buffer | undefined;

  /** Hands over the frames that are complete; `bytes` may be overwritten afterwards. */
  take(bytes: Buffer, onFrame: (frame: Frame) => void): void {
    const all = this.rest ? Buffer.concat([this.rest, bytes]) : bytes;
    let at = 0;
    for (let end = endOf(all, at); end !== undefined; end = endOf(all, at)) {
      onFrame({ opcode: (all[at] as number) & 0x0f, payload: all.subarray(at + headLength(all, at), end) });
      at = end;
    }
    this.rest = at < all.length ? Buffer.from(all.subarray(at)) : undefined;
  }
}

function headLength(bytes: Buffer, at: number): number {
  const length = bytes[at + 1] as number;
  if (length < 126) return 2;
  return length === 126 ? 4 : 10;
}

/** Where the frame ends; undefined while it is not complete. */
function endOf(bytes: Buffer, at: number): number | undefined {
  if (at + 2 > bytes.length || at + headLength(bytes, at) > bytes.length) return undefined;
  const head = headLength(bytes, at);
  const short = bytes[at + 1] as number;
  const length = head === 2 ? short : head === 4 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
  const end = at + head + length;
  return end <= bytes.length ? end : undefined;
}

/** A frame of a client; the mask is 0, the payload at most 125 bytes. */
export function clientFrame(opcode: number, payload: string | Buffer = ''): Buffer {
  const bytes = Buffer.from(payload as string);
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | bytes.length, 0, 0, 0, 0]), bytes]);
}
