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

  /** Asks for one of several things, by number or id; Enter takes the first that is available. */
  async choose(question: string, choices: readonly Choice[]): Promise<string> {
    const byDefault = choices.find((choice) => choice.available)?.id ?? '';
    const list = choices.map((choice, index) => {
      const line = `  ${index + 1}) ${choice.label}${choice.available ? '' : ' (not in this version)'}`;
      return choice.available ? line : paint('dim', line, this.output);
    });
    this.output.write(`${paint('bold', question, this.output)}\n${list.join('\n')}\n`);
    const find = (answer: string): Choice | undefined =>
      choices.find((choice, index) => choice.id === (answer || byDefault) || String(index + 1) === answer);
    const answer = await this.text(`1-${choices.length} [${byDefault}]:`, (text) => {
      const choice = find(text);
      if (choice === undefined) return `answer with 1 to ${choices.length}`;
      return choice.available ? undefined : `${choice.label} is not in this version`;
    });
    return find(answer)?.id ?? byDefault;
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
