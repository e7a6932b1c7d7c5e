import { request } from '../../support/http-client.js';

/** Pause between two requests; milliseconds. */
const EVERY_MS = 10;

/** How many requests had which answer: a status, or `none` when the connection was refused or broken off. */
export type RouteAnswers = Readonly<Record<string, number>>;

/** Asks for a route again and again, one request at a time, whether or not an engine is there. */
export class RouteProbe {
  private readonly answers: Record<string, number> = {};
  private stopped = false;
  private readonly asking: Promise<void>;

  constructor(private readonly url: string) {
    this.asking = this.ask();
  }

  async stop(): Promise<RouteAnswers> {
    this.stopped = true;
    await this.asking;
    return this.answers;
  }

  private async ask(): Promise<void> {
    while (!this.stopped) {
      const answer = await request('GET', this.url).then(({ status }) => String(status), () => 'none');
      this.answers[answer] = (this.answers[answer] ?? 0) + 1;
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }
}

/** Answers that a route which is known must not have, whatever becomes of the engine. 502: it was killed with the request in a handler. */
export function wrongAnswers(answers: RouteAnswers): readonly string[] {
  return Object.keys(answers).filter((answer) => !['200', '502', '503', 'none'].includes(answer));
}
