import type { WebSocketLike } from './web-socket.js';

/** A socket that a test plays the server of. */
export class FakeSocket implements WebSocketLike {
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;
  onerror: (() => void) | null = null;
  readonly sent: { type: string; data: Record<string, unknown> }[] = [];
  isClosed = false;

  constructor(readonly url: string) {}

  send(text: string): void {
    this.sent.push(JSON.parse(text) as { type: string; data: Record<string, unknown> });
  }

  close(): void {
    this.isClosed = true;
  }

  open(): void {
    this.onopen?.();
  }

  cut(): void {
    this.onclose?.();
  }

  tell(message: unknown): void {
    this.onmessage?.({ data: typeof message === 'string' ? message : JSON.stringify(message) });
  }

  /** An event of the one group that tests use. */
  event(seq: number, event: object, { id, epoch = 'e', subscriptionId = 's1' }: { id?: string; epoch?: string; subscriptionId?: string } = {}): void {
    this.tell({ type: 'stream', timestamp: 1, streamName: 'board', groupId: 'g', id, subscriptionId, epoch, seq, event });
  }
}

/** Sockets in the order in which a client opened them. */
export function fakeServer(): { readonly sockets: FakeSocket[]; readonly WebSocket: new (url: string) => FakeSocket } {
  const sockets: FakeSocket[] = [];
  class Socket extends FakeSocket {
    constructor(url: string) {
      super(url);
      sockets.push(this);
    }
  }
  return { sockets, WebSocket: Socket };
}

/** Some turns of the event loop. */
export async function turns(ms = 5): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
