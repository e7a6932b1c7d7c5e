import { WebSocket } from 'ws';

/** What the bars, Home and Traces follow. */
const TOPICS = [['overview', {}], ['findings', {}], ['steps', {}], ['queues', {}], ['flows', {}], ['traces', {}], ['logs', { tail: '100' }]] as const;
/** Answers that Home and Traces read again when traces have come. */
const READ_AGAIN = ['/traces?limit=20', '/traces/activity'];

/** Follows an engine as an open page does, and reads what comes without looking at it: the machine's other costs stay small. */
export class ConsolePage {
  private messages = 0;
  private reading: Promise<unknown> | undefined;
  private over = false;

  private constructor(private readonly socket: WebSocket, private readonly read: (path: string) => Promise<unknown>) {
    socket.on('message', () => {
      this.messages += 1;
      this.readAgain();
    });
  }

  static async open(base: string, token: string): Promise<ConsolePage> {
    const headers = { authorization: `Bearer ${token}` };
    const socket = new WebSocket(`${base.replace('http', 'ws')}/api/v1/live`, { headers });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const page = new ConsolePage(socket, async (path) => (await fetch(`${base}/api/v1${path}`, { headers })).arrayBuffer());
    for (const [topic, query] of TOPICS) socket.send(JSON.stringify({ type: 'subscribe', id: topic, topic, query }));
    return page;
  }

  /** Says how many messages came. */
  close(): number {
    this.over = true;
    this.socket.terminate();
    return this.messages;
  }

  /** Not twice at the same time, as the page does. */
  private readAgain(): void {
    if (this.over) return;
    this.reading ??= Promise.all(READ_AGAIN.map((path) => this.read(path).catch(() => undefined))).finally(() => (this.reading = undefined));
  }
}
