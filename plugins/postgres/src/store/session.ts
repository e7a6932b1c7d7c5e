import type pg from 'pg';
import type { Connections, Queries, Row } from './connections.js';

/** How long the server may take to answer before it counts as away; with the second between two beats what waits fails within 3 s. Milliseconds. */
const ANSWER_MS = 2_000;

/** What another engine has told. */
export interface Notice {
  readonly from: number;
  /** One letter: which part of the store it is for. */
  readonly kind: string;
  readonly text: string;
}

/**
 * One connection that lives as long as the engine: it hears notifications, holds the lock that shows that the engine is
 * connected, and is never behind other work, so that what is asked here tells how the server is.
 */
export class Session implements Queries {
  private client: pg.Client | undefined;

  constructor(private readonly connections: Connections, private readonly channel: string, private readonly heard: (notice: Notice) => void) {}

  get connected(): boolean {
    return this.client !== undefined;
  }

  /** Takes a connected client over. */
  async begin(client: pg.Client): Promise<void> {
    client.on('error', () => this.lost(client));
    client.on('end', () => this.lost(client));
    client.on('notification', ({ payload = '' }) => this.notified(payload));
    this.client = client;
    await this.rows(`LISTEN ${this.channel}`);
  }

  /** Connects anew when the connection was lost. @throws the error of the connection */
  async connect(): Promise<void> {
    if (this.client) return;
    const client = this.connections.client();
    await client.connect();
    await this.begin(client);
  }

  /** @throws the server's error; also when it takes too long, and then the connection is over */
  async rows<R extends Row = Row>(text: string, values: readonly unknown[] = [], name?: string): Promise<R[]> {
    const { client } = this;
    if (!client) throw new Error('Connection terminated');
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.lost(client);
        reject(new Error(`timeout exceeded: no answer within ${ANSWER_MS} ms`));
      }, ANSWER_MS);
      timer.unref();
    });
    try {
      return (await Promise.race([client.query<R>({ text, values: [...values], ...name !== undefined && { name } }), late])).rows;
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    await client?.end().catch(() => undefined);
  }

  private lost(client: pg.Client): void {
    if (this.client === client) this.client = undefined;
    (client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }).connection.stream.destroy();
  }

  private notified(payload: string): void {
    const [from = '', kind = '', ...text] = payload.split('|');
    this.heard({ from: Number(from), kind, text: text.join('|') });
  }
}
