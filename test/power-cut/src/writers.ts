import { Agent, request } from 'node:http';

const WRITERS = 32;
const TEXT = 'x'.repeat(200);

/** Clients that write one thing after the other until the engine is gone; they remember what was acknowledged. */
export class Writers {
  readonly acknowledged: string[] = [];
  /** Answers other than 200, at most a few. */
  readonly refusals: string[] = [];
  private readonly agent = new Agent({ keepAlive: true, maxSockets: WRITERS });
  private readonly loops: Promise<void>[];
  private stopped = false;

  constructor(private readonly url: string, private readonly group: string) {
    this.loops = Array.from({ length: WRITERS }, (_, writer) => this.write(writer));
  }

  /** Resolves when no request is under way any more. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.loops);
    this.agent.destroy();
  }

  private async write(writer: number): Promise<void> {
    for (let n = 0; !this.stopped; n++) {
      const id = `${writer}-${n}`;
      const answer = await this.post({ group: this.group, id, text: TEXT });
      if (answer === undefined) return;
      if (answer.startsWith('200')) this.acknowledged.push(id);
      else if (this.refusals.length < 5) this.refusals.push(answer);
    }
  }

  /** Status and body; undefined when the connection ended, which says nothing of what became of the request. */
  private post(body: object): Promise<string | undefined> {
    const payload = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) };
    return new Promise((resolve) => {
      const sent = request(`${this.url}/acknowledge`, { method: 'POST', agent: this.agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => { text += part; });
        response.on('end', () => resolve(`${response.statusCode} ${text}`)).on('error', () => resolve(undefined));
      });
      sent.on('error', () => resolve(undefined)).end(payload);
    });
  }
}
