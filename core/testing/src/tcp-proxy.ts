import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  /** What was asked and lies here. */
  readonly late: Buffer[];
}

/** Stands between an adapter and its store, both on this machine, and fails as networks do. */
export class TcpProxy {
  private readonly links = new Set<Link>();
  /** Their clients are gone, and what these asked lies here. */
  private readonly lateLinks = new Set<Link>();
  private mode: 'pass' | 'swallow-answers' | 'late' | 'silent' | 'refuse' = 'pass';

  private constructor(private readonly listener: Server, private readonly target: number) {
    listener.on('connection', (client) => this.accept(client));
  }

  /** @param target port of the store */
  static async start(target: number): Promise<TcpProxy> {
    const listener = createServer();
    const proxy = new TcpProxy(listener, target);
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** What the adapter connects to. */
  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  /** What is asked arrives, what is answered does not. */
  swallowAnswers(): void {
    this.mode = 'swallow-answers';
  }

  /** Nothing arrives, in either direction, and no connection ends: half open. */
  silence(): void {
    this.mode = 'silent';
  }

  /** What is asked lies here until `arrive`, also when its connection has ended by then. */
  delay(): void {
    this.mode = 'late';
  }

  /** What lay here arrives, of connections that have ended. Resolves when the store has dealt with it. */
  async arrive(): Promise<void> {
    const links = [...this.lateLinks].filter(({ server }) => !server.destroyed);
    await Promise.all(links.map(async ({ server, late }) => {
      const closed = once(server, 'close');
      server.resume().end(Buffer.concat(late));
      await closed;
    }));
    this.lateLinks.clear();
  }

  /** Connections end, and new ones end at once. */
  cut(): void {
    this.mode = 'refuse';
    this.endAll();
  }

  /** Connections end, and new ones work. */
  restore(): void {
    this.mode = 'pass';
    this.endAll();
  }

  async stop(): Promise<void> {
    this.endAll();
    for (const { server } of this.lateLinks) server.destroy();
    await new Promise((resolve) => this.listener.close(resolve));
  }

  private accept(client: Socket): void {
    if (this.mode === 'refuse') {
      client.destroy();
      return;
    }
    const link: Link = { client, server: connect(this.target, '127.0.0.1'), late: [] };
    this.links.add(link);
    const end = (): void => this.end(link);
    for (const socket of [link.client, link.server]) socket.setNoDelay(true).on('error', end).on('close', end);
    link.client.on('data', (bytes) => {
      if (this.mode === 'late') link.late.push(bytes);
      else if (this.mode !== 'silent') link.server.write(bytes);
    });
    link.server.on('data', (bytes) => { if (this.mode === 'pass') link.client.write(bytes); });
  }

  private endAll(): void {
    for (const link of this.links) this.end(link);
  }

  private end(link: Link): void {
    if (!this.links.delete(link)) return;
    link.client.destroy();
    if (link.late.length > 0) this.lateLinks.add(link);
    else link.server.destroy();
  }
}
