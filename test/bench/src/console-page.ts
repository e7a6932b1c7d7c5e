import { WebSocket } from 'ws';

type Topics = readonly (readonly [topic: string, query: Readonly<Record<string, string>>])[];

/** What the bars around every view follow. */
const BARS: Topics = [['overview', {}], ['modules', {}]];
/** What each view follows beside them. */
const VIEWS = {
  home: [['steps', {}], ['findings', {}], ['traces', { limit: '20' }]],
  traces: [['traces', { limit: '50' }]],
  logs: [['logs', {}]],
  flows: [['flows', {}], ['findings', {}]],
  queues: [['queues', {}]],
  state: [['state', { group: 'orders' }]],
} as const satisfies Readonly<Record<string, Topics>>;

/** What views ask again and again while something comes, and how often at most; milliseconds. */
const ASKED: Readonly<Partial<Record<keyof typeof VIEWS, readonly (readonly [path: string, everyMs: number])[]>>> = {
  logs: [['/logs/facets', 10_000], ['/logs/histogram', 10_000]],
  state: [['/state/groups/orders/keys?limit=100', 1_000]],
};

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
  private readonly asking: readonly NodeJS.Timeout[];

  private constructor(private readonly socket: WebSocket, asked: readonly (readonly [url: string, everyMs: number])[], headers: Readonly<Record<string, string>>) {
    this.asking = asked.map(([url, everyMs]) => setInterval(() => void fetch(url, { headers }).then((answer) => answer.arrayBuffer()).then(() => { this.received.answers += 1; }, () => undefined), everyMs));
    socket.on('message', (data: Buffer) => {
      this.received.messages += 1;
      this.received.bytes += data.length;
    });
  }

  static async open(base: string, token: string, view: ViewName): Promise<ConsolePage> {
    const headers = { authorization: `Bearer ${token}` };
    const socket = new WebSocket(`${base.replace('http', 'ws')}/api/v1/live`, { headers });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    for (const [topic, query] of [...BARS, ...VIEWS[view]]) socket.send(JSON.stringify({ type: 'subscribe', id: topic, topic, query }));
    return new ConsolePage(socket, (ASKED[view] ?? []).map(([path, everyMs]) => [`${base}/api/v1${path}`, everyMs]), headers);
  }

  close(): Received {
    this.asking.forEach(clearInterval);
    this.socket.terminate();
    return this.received;
  }
}
