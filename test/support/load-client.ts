import { Agent, request as send } from 'node:http';

export interface LoadResult {
  /** Undefined when the connection failed. */
  readonly status?: number;
  readonly code?: string;
  readonly error?: string;
  /** Milliseconds since the start of the run. */
  readonly startedMs: number;
  readonly tookMs: number;
}

export interface LoadOptions {
  readonly url: string;
  readonly connections: number;
  /** Pause of a connection between two requests. */
  readonly pauseMs?: number;
  readonly method?: string;
}

/**
 * Clients that each keep one connection, send one request after the other and obey `Connection: close` by connecting
 * anew; they go on after failures, until `stop`.
 */
export class LoadClient {
  readonly results: LoadResult[] = [];
  private readonly options: LoadOptions;
  private readonly startedAt = performance.now();
  private readonly agent: Agent;
  private readonly loops: Promise<void>[];
  /** When those were sent that are not answered. */
  private readonly open = new Set<number>();
  private stopped = false;

  constructor(options: LoadOptions) {
    this.options = options;
    this.agent = new Agent({ keepAlive: true, maxSockets: options.connections });
    this.loops = Array.from({ length: options.connections }, () => this.loop());
  }

  get nowMs(): number {
    return performance.now() - this.startedAt;
  }

  /** Lets the requests under way finish. */
  async stop(): Promise<readonly LoadResult[]> {
    this.stopped = true;
    await Promise.all(this.loops);
    this.agent.destroy();
    return this.results;
  }

  count(matches: (result: LoadResult) => boolean): number {
    return this.results.filter(matches).length;
  }

  /** True while every connection has a request under way, and one was sent less than so long ago: not all of them are answered at once and not yet read. */
  isBusy(ms: number): boolean {
    return this.open.size === this.options.connections && [...this.open].some((sentMs) => this.nowMs - sentMs < ms);
  }

  private async loop(): Promise<void> {
    while (!this.stopped) {
      const result = await this.one();
      this.open.delete(result.startedMs);
      this.results.push(result);
      const failed = result.status === undefined;
      await new Promise((resolve) => setTimeout(resolve, failed ? 20 : this.options.pauseMs ?? 0));
    }
  }

  private one(): Promise<LoadResult> {
    const startedMs = this.nowMs;
    this.open.add(startedMs);
    const tookMs = (): number => this.nowMs - startedMs;
    return new Promise((resolve) => {
      const sent = send(this.options.url, { agent: this.agent, method: this.options.method ?? 'GET' }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => { text += part; });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, ...codeOf(text), startedMs, tookMs: tookMs() }));
        response.on('error', (error) => resolve({ error: error.message, startedMs, tookMs: tookMs() }));
      });
      sent.on('error', (error) => resolve({ error: error.message, startedMs, tookMs: tookMs() }));
      sent.end();
    });
  }
}

/** The engine's error code in a body, if there is one. */
function codeOf(text: string): { code?: string } {
  if (!text.includes('"code"')) return {};
  try {
    return { code: (JSON.parse(text) as { code: string }).code };
  } catch {
    return {}; // some other body that speaks of "code"
  }
}
