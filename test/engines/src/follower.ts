import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

const AGAIN_MS = 100;
/** Of a group at least so many events are kept, by every adapter: who missed more is told everything anew. */
const KEPT_EVENTS = 1_000;

/** What the server sends, as far as it matters here. */
interface Sent {
  readonly type: string;
  readonly id?: string;
  readonly epoch: string;
  readonly seq: number;
  readonly event: { readonly type: string; readonly data?: unknown; readonly ids?: readonly string[] };
}

/** A client of the stream that goes from one engine to another and asks there for what it missed. */
export class Follower {
  readonly items = new Map<string, unknown>();
  readonly faults: string[] = [];
  events = 0;
  /** Joins at an engine, after the first, that were answered with what was missed. */
  resumed = 0;
  private position: { readonly epoch: string; seq: number } | undefined;
  private joins = 0;
  private socket: WebSocket | undefined;
  private stopped = false;
  private readonly following: Promise<void>;

  /** @param addresses of engines that live, by WebSocket */
  constructor(private readonly addresses: () => readonly string[], private readonly first: number) {
    this.following = this.follow();
  }

  /** Leaves the engine that it is at. */
  move(): void {
    this.socket?.close();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.socket?.close();
    await this.following;
  }

  private async follow(): Promise<void> {
    for (let turn = this.first; !this.stopped; turn += 1) {
      const addresses = this.addresses();
      const address = addresses[turn % Math.max(1, addresses.length)];
      if (address !== undefined) await this.stayAt(address);
      await sleep(AGAIN_MS);
    }
  }

  private stayAt(address: string): Promise<void> {
    const socket = new WebSocket(address);
    this.socket = socket;
    socket.on('error', () => undefined); // its end follows
    socket.on('open', () => {
      const known = this.position && { epoch: this.position.epoch, lastSeq: this.position.seq };
      this.joins += 1;
      socket.send(JSON.stringify({ type: 'join', data: { subscriptionId: 'f', streamName: 'board', groupId: 'all', ...known } }));
      if (this.stopped) socket.close();
    });
    let isFirst = true;
    socket.on('message', (text: Buffer) => {
      const sent = JSON.parse(text.toString()) as Sent;
      if (sent.type === 'stream') this.take(sent, isFirst);
      else socket.close(); // it cannot tell now
      isFirst = false;
    });
    return new Promise((resolve) => socket.once('close', () => resolve()));
  }

  private take(sent: Sent, isFirst: boolean): void {
    if (sent.event.type === 'sync') this.replace(sent);
    else if (isFirst && this.joins > 1) this.resumed += 1;
    if (!this.position || sent.event.type === 'sync' || (sent.epoch === this.position.epoch && sent.seq <= this.position.seq)) return;
    if (sent.epoch !== this.position.epoch || sent.seq !== this.position.seq + 1) {
      this.faults.push(`event ${sent.epoch} ${sent.seq} came after ${this.position.epoch} ${this.position.seq}`);
    }
    this.position = { epoch: sent.epoch, seq: sent.seq };
    this.events += 1;
    if (sent.event.type === 'delete') this.items.delete(sent.id ?? '');
    else this.items.set(sent.id ?? '', sent.event.data);
  }

  private replace({ epoch, seq, event: { data, ids = [] } }: Sent): void {
    if (this.position && (epoch !== this.position.epoch || seq <= this.position.seq + KEPT_EVENTS)) this.faults.push(`was told everything anew at ${epoch} ${seq} instead of what came after ${this.position.epoch} ${this.position.seq}`);
    this.position = { epoch, seq };
    this.items.clear();
    ids.forEach((id, index) => this.items.set(id, (data as readonly unknown[])[index]));
  }
}
