import { emitKeypressEvents, type Key } from 'node:readline';
import { treadleError } from '@treadle/api';
import { paint, type TerminalStream } from '../terminal/paint.js';
import type { Choice } from './choices.js';

/** Where keys come from: a terminal, which hands on each key as it is pressed. */
export interface KeyInput extends NodeJS.ReadableStream {
  readonly isRaw?: boolean;
  setRawMode?(raw: boolean): unknown;
}

type Choices = readonly [Choice, ...Choice[]];

/**
 * Lets one of several things be chosen: by arrow keys, by number, or by the beginning of its id or name; Enter takes the
 * marked one, at first the first.
 * @throws {USAGE} when the user gives up
 */
export class Select {
  private at = 0;
  private typed = '';

  constructor(
    private readonly question: string,
    private readonly choices: Choices,
    private readonly output: NodeJS.WritableStream & TerminalStream,
  ) {}

  /** The id of what was chosen. */
  async ask(input: KeyInput): Promise<string> {
    emitKeypressEvents(input);
    // Before anything is shown: who answers at once must not be read by the line.
    input.setRawMode?.(true);
    input.resume();
    this.output.write(`${paint('bold', this.question, this.output)} ${paint('dim', '(arrow keys, number or name; Enter takes it)', this.output)}\n${this.list()}`);
    try {
      return await new Promise<string>((resolve, reject) => this.listen(input, resolve, reject));
    } finally {
      input.removeAllListeners('keypress');
      input.setRawMode?.(false);
      input.pause();
    }
  }

  private listen(input: KeyInput, resolve: (id: string) => void, reject: (error: Error) => void): void {
    const cancel = (): void => reject(treadleError('USAGE', { message: 'cancelled' }));
    input.once('end', cancel);
    input.on('keypress', (text: string | undefined, key: Key) => {
      if (key.ctrl && (key.name === 'c' || key.name === 'd')) return cancel();
      if (key.name !== 'return' && key.name !== 'enter') return this.press(text ?? '', key);
      input.removeListener('end', cancel);
      resolve(this.marked().id);
    });
  }

  private press(text: string, { name }: Key): void {
    const count = this.choices.length;
    if (name === 'up' || name === 'down') {
      this.typed = '';
      this.at = (this.at + (name === 'up' ? count - 1 : 1)) % count;
    } else {
      this.typed = name === 'backspace' ? this.typed.slice(0, -1) : this.typed + text.trim().toLowerCase();
      this.at = this.meant() ?? this.at;
    }
    this.output.write(`\u001b[${count}A\u001b[J${this.list()}`);
  }

  /** What the typed text stands for; a text that stands for nothing begins anew with its last key. */
  private meant(): number | undefined {
    if (this.typed === '') return undefined;
    const found = this.choices.findIndex(({ id, label }, index) =>
      this.typed === String(index + 1) || [id, label.toLowerCase()].some((name) => name.startsWith(this.typed)));
    if (found >= 0) return found;
    this.typed = this.typed.slice(-1).repeat(this.typed.length > 1 ? 1 : 0);
    return this.meant();
  }

  private list(): string {
    return this.choices.map(({ label }, index) => {
      const line = `${index === this.at ? '❯' : ' '} ${index + 1}) ${label}`;
      return `${index === this.at ? paint('cyan', line, this.output) : line}\n`;
    }).join('');
  }

  private marked(): Choice {
    return this.choices[this.at] ?? this.choices[0];
  }
}
