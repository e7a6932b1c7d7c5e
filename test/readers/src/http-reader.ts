import { connect, type Socket } from 'node:net';

/** How a request ended. `cut`: the connection was closed before the whole answer had come. */
export type Ending = 'complete' | 'cut' | 'refused';

const HEAD_END = '\r\n\r\n';

/** One request on a connection of its own, whose answer is read or left unread. Counts bytes and keeps none. */
export class HttpReader {
  /** When the answer is over. A reader that does not read never hears of it. */
  readonly ended: Promise<Ending>;
  /** Of the body, with what chunked coding adds. */
  bytes = 0;
  status = 0;
  /** Of a refusal: when to ask again, in seconds. */
  retryAfter = 1;
  private readonly socket: Socket;
  private head = '';
  private length: number | undefined;
  /** The last bytes: where the end of a chunked body is seen. */
  private tail = '';

  constructor(port: number, path: string, options: { readonly reads: boolean }) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.write(`GET ${path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n`);
    this.ended = new Promise((resolve) => {
      this.socket.on('error', () => undefined); // it is closed then, and that is what counts
      this.socket.on('close', () => resolve(this.ending()));
    });
    this.socket.on('data', (data: Buffer) => this.take(data));
    if (!options.reads) this.socket.pause();
  }

  /** Its port: how the engine's system knows its connection. */
  get port(): number {
    return this.socket.localPort ?? 0;
  }

  /** Takes what is left for one that did not read. */
  wake(): Promise<Ending> {
    this.socket.resume();
    return this.ended;
  }

  destroy(): void {
    this.socket.destroy();
  }

  private take(data: Buffer): void {
    if (this.status !== 0) {
      this.count(data);
      return;
    }
    this.head += data.toString('latin1');
    const end = this.head.indexOf(HEAD_END);
    if (end < 0) return;
    this.status = Number(this.head.slice(9, 12));
    this.retryAfter = Number(/\r\nretry-after: (\d+)/i.exec(this.head)?.[1] ?? 1);
    const length = /\r\ncontent-length: (\d+)/i.exec(this.head)?.[1];
    this.length = length === undefined ? undefined : Number(length);
    this.count(Buffer.from(this.head.slice(end + HEAD_END.length), 'latin1'));
    this.head = '';
  }

  private count(data: Buffer): void {
    this.bytes += data.length;
    this.tail = (this.tail + data.subarray(-5).toString('latin1')).slice(-5);
  }

  private ending(): Ending {
    if (this.status >= 400) return 'refused';
    const whole = this.length === undefined ? this.tail === '0\r\n\r\n' : this.bytes === this.length;
    return this.status !== 0 && whole ? 'complete' : 'cut';
  }
}
