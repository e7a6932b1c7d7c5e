import { WebSocket } from 'ws';

type Topics = readonly (readonly [topic: string, query: Readonly<Record<string, string>>])[];

/** What the bars around every view follow. */
const BARS: Topics = [['overview', {}], ['modules', {}]];
/** What each view follows beside them; none asks the engine for anything as long as it is only looked at. */
const VIEWS = {
  home: [['steps', {}], ['findings', {}], ['traces', { limit: '20' }]],
  traces: [['traces', { limit: '50' }]],
  logs: [['logs', {}]],
  flows: [['flows', {}], ['findings', {}]],
  queues: [['queues', {}]],
} as const satisfies Readonly<Record<string, Topics>>;

export type ViewName = keyof typeof VIEWS;
export const VIEW_NAMES = Object.keys(VIEWS) as readonly ViewName[];

/** What came over an open page. */
export interface Received {
  readonly messages: number;
  readonly bytes: number;
  /** Answers to requests. */
  readonly answers: number;
}

/** Follows an engine as an open page does, and reads what comes without looking at it: the machine's other costs stay small. */
export class ConsolePage {
  private readonly received = { messages: 0, bytes: 0, answers: 0 };

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      this.received.messages += 1;
      this.received.bytes += data.length;
    });
  }

  static async open(base: string, token: string, view: ViewName): Promise<ConsolePage> {
    const socket = new WebSocket(`${base.replace('http', 'ws')}/api/v1/live`, { headers: { authorization: `Bearer ${token}` } });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    for (const [topic, query] of [...BARS, ...VIEWS[view]]) socket.send(JSON.stringify({ type: 'subscribe', id: topic, topic, query }));
    return new ConsolePage(socket);
  }

  close(): Received {
    this.socket.terminate();
    return this.received;
  }
}
