import { createInterface } from 'node:readline/promises';
import { treadleError } from '@treadle/api';
import { paint, type TerminalStream } from '../terminal/paint.js';
import type { Choice } from './choices.js';
import { Select, type KeyInput } from './select.js';

const ATTEMPTS = 5;

/** Asks questions on the terminal; questions go to stderr so that stdout stays for results. */
export class Prompt {
  constructor(
    private readonly input: KeyInput = process.stdin,
    private readonly output: NodeJS.WritableStream & TerminalStream = process.stderr,
  ) {}

  /** Asks for a text until `problem` has nothing to object. @throws {USAGE} when the user gives up */
  async text(question: string, problem: (answer: string) => string | undefined): Promise<string> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const answer = (await this.line(`${paint('bold', question, this.output)} `)).trim();
      const objection = problem(answer);
      if (objection === undefined) return answer;
      this.output.write(`  ${paint('red', objection, this.output)}\n`);
    }
    throw treadleError('USAGE', { message: 'no usable answer', hint: 'give the values as arguments; add --help to see them' });
  }

  /** Asks for one of several things, of which the first is marked; gives its id. @throws {USAGE} when the user gives up */
  choose(question: string, choices: readonly [Choice, ...Choice[]]): Promise<string> {
    return new Select(question, choices, this.output).ask(this.input);
  }

  /** One line. Each has an interface of its own, so that keys between two lines are left to whoever asks for keys. */
  private async line(question: string): Promise<string> {
    const lines = createInterface({ input: this.input, output: this.output });
    const aborted = new AbortController();
    // Ctrl-C and Ctrl-D end the questions, not half of them.
    lines.once('SIGINT', () => aborted.abort());
    lines.once('close', () => aborted.abort());
    try {
      return await lines.question(question, { signal: aborted.signal });
    } catch (error) {
      this.output.write('\n');
      throw treadleError('USAGE', { message: 'cancelled' }, { cause: error });
    } finally {
      lines.close();
    }
  }
}
