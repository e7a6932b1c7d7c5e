import { createInterface, type Interface } from 'node:readline/promises';
import { treadleError } from '@treadle/api';
import { paint, type TerminalStream } from '../terminal/paint.js';
import type { Choice } from './choices.js';

const ATTEMPTS = 5;

/** Asks questions on the terminal; questions go to stderr so that stdout stays for results. */
export class Prompt {
  private readonly lines: Interface;
  private readonly aborted = new AbortController();

  constructor(
    input: NodeJS.ReadableStream = process.stdin,
    private readonly output: NodeJS.WritableStream & TerminalStream = process.stderr,
  ) {
    this.lines = createInterface({ input, output: this.output });
    // Ctrl-C and Ctrl-D end the questions, not half of them.
    this.lines.once('SIGINT', () => this.aborted.abort());
    this.lines.once('close', () => this.aborted.abort());
  }

  /** Asks for a text until `problem` has nothing to object. @throws {USAGE} when the user gives up */
  async text(question: string, problem: (answer: string) => string | undefined): Promise<string> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const answer = (await this.ask(`${paint('bold', question, this.output)} `)).trim();
      const objection = problem(answer);
      if (objection === undefined) return answer;
      this.output.write(`  ${paint('red', objection, this.output)}\n`);
    }
    throw treadleError('USAGE', { message: 'no usable answer', hint: 'give the values as arguments; add --help to see them' });
  }

  /** Asks for one of several things, by number, id or name; Enter takes the first. @throws {USAGE} when the user gives up */
  async choose(question: string, choices: readonly [Choice, ...Choice[]]): Promise<string> {
    const list = choices.map(({ label }, index) => `  ${index + 1}) ${label}\n`);
    this.output.write(`${paint('bold', question, this.output)}\n${list.join('')}`);
    const find = (answer: string): Choice | undefined => (answer === '' ? choices[0] : choices.find(({ id, label }, index) =>
      [id, label.toLowerCase(), String(index + 1)].includes(answer.toLowerCase())));
    const answer = await this.text(`1-${choices.length} [${choices[0].id}]:`, (text) =>
      (find(text) ? undefined : `answer with 1 to ${choices.length}`));
    return (find(answer) ?? choices[0]).id;
  }

  /** Gives the terminal back. */
  close(): void {
    this.lines.close();
  }

  private async ask(question: string): Promise<string> {
    try {
      return await this.lines.question(question, { signal: this.aborted.signal });
    } catch (error) {
      this.output.write('\n');
      throw treadleError('USAGE', { message: 'cancelled' }, { cause: error });
    }
  }
}
