import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { systemClock } from '@treadle/kernel';
import { CommonQueue, type SharingFlaw } from './common-queue.fixture.js';

/** What an engine asks; `change`, `claim` and the like are for it, everything else is the queue's method of that name. */
export interface StoreRequest {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** What it is answered or told. */
export type StoreMessage =
  | { readonly id: number; readonly value?: unknown }
  | { readonly due: unknown; readonly from: string }
  | { readonly subscriptions: true; readonly from: string };

/** A store in this process that engines in other processes use over a socket, each line one message as JSON. */
export class QueueServer {
  private readonly queue: CommonQueue;
  private readonly sockets = new Map<Socket, string>();
  private acting = '';

  private constructor(private readonly server: Server, private readonly flaw: SharingFlaw) {
    this.queue = new CommonQueue(flaw);
  }

  static async start(flaw: SharingFlaw): Promise<QueueServer> {
    // Word to the others and the answer are two small writes; TCP would hold the second back until the first is acknowledged, some 40 ms.
    const server = createServer({ noDelay: true });
    const started = new QueueServer(server, flaw);
    server.on('connection', (socket) => started.take(socket));
    await started.queue.init({ clock: systemClock });
    started.queue.onDue((due) => started.tell({ due, from: started.acting }));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return started;
  }

  get port(): number {
    return (this.server.address() as { readonly port: number }).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets.keys()) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
    await this.queue.stop();
  }

  private take(socket: Socket): void {
    this.sockets.set(socket, '');
    socket.on('close', () => this.sockets.delete(socket)).on('error', () => undefined);
    // It hands on the socket's errors, such as a reset by an engine that was killed.
    createInterface(socket).on('error', () => undefined).on('line', (line) => void this.answer(socket, JSON.parse(line) as StoreRequest));
  }

  private async answer(socket: Socket, { id, method, args: [member, ...args] }: StoreRequest): Promise<void> {
    this.sockets.set(socket, String(member));
    this.queue.hear(String(member));
    this.acting = String(member);
    const value = await this.carryOut(String(member), method, args);
    if (method === 'changeSubscriptions') this.tell({ subscriptions: true, from: String(member) });
    socket.write(`${JSON.stringify({ id, value } satisfies StoreMessage)}\n`);
  }

  private carryOut(member: string, method: string, args: readonly unknown[]): unknown {
    const { queue } = this;
    const own: Readonly<Record<string, (...given: never[]) => unknown>> = {
      hear: () => Date.now(),
      leave: () => queue.leave(member),
      claimMany: (...[requests, leaseMs]: Parameters<CommonQueue['claimMany']>) => queue.claimFor(member, requests, leaseMs),
      renewMany: (...[claims, leaseMs]: Parameters<CommonQueue['renewMany']>) => queue.renewFor(claims, leaseMs),
      settleMany: (...[settlements]: Parameters<CommonQueue['settleMany']>) => queue.settleFor(settlements),
      changeSubscriptions: (...[changes]: Parameters<CommonQueue['changeSubscriptions']>) => queue.changeFor(member, changes),
    };
    const act = own[method] ?? (queue as unknown as Record<string, (...given: never[]) => unknown>)[method]?.bind(queue);
    return act?.(...args as never[]);
  }

  /** The engine that asked is told, and the others unless they are to be forgotten. */
  private tell(message: StoreMessage & { readonly from: string }): void {
    for (const [socket, member] of this.sockets) {
      if (this.flaw === 'others_not_woken' && member !== message.from) continue;
      socket.write(`${JSON.stringify(message)}\n`);
    }
  }
}
