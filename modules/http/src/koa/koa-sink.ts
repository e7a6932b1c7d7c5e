import type { ResponseSink } from '../request/exchange.js';
import type { KoaContext } from './koa-types.js';
import type { HeaderList } from '../response/response-headers.js';
import type { ResponseStream } from '../response/response-stream.js';

const REPEATABLE = new Set(['set-cookie', 'vary', 'www-authenticate', 'link']);

/** Puts a Step's response into a Koa context, where the middleware around it sees and may change it. */
export class KoaSink implements ResponseSink {
  /** Resolves when the exchange is over; never rejects. */
  readonly done: Promise<void>;
  private resolve: () => void = () => undefined;

  constructor(private readonly context: KoaContext) {
    this.done = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  send(status: number, headers: HeaderList, body: string | Buffer | undefined): void {
    const { context } = this;
    context.status = status;
    // Koa works out type and length from the body; what it guesses is overwritten by the headers that follow.
    context.body = body ?? null;
    context.status = status;
    this.setHeaders(headers, body !== undefined || context.req.method === 'HEAD');
  }

  sendStream(status: number, headers: HeaderList, stream: ResponseStream): void {
    const { context } = this;
    context.status = status;
    context.body = stream.asReadable();
    this.setHeaders(headers, false);
    this.resolve();
  }

  finished(): void {
    this.resolve();
  }

  private setHeaders(headers: HeaderList, withLength: boolean): void {
    const { context } = this;
    for (let i = 0; i < headers.length; i += 2) {
      const name = String(headers[i]).toLowerCase();
      if (name === 'content-length' && !withLength) continue;
      if (REPEATABLE.has(name)) context.append(name, String(headers[i + 1]));
      else context.set(name, String(headers[i + 1]));
    }
  }
}
