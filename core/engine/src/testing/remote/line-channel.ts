import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { OperationError } from '@treadle/api';

/** What a test in another process asks for. */
export interface Command {
  readonly id: number;
  readonly do: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A line from the test's process. */
interface Line extends Partial<Command> {
  /** A frame of the worker protocol. */
  readonly worker?: readonly unknown[];
  readonly alive?: number;
  /** The answer of a function that stands in for an operation. */
  readonly fake?: number;
  readonly value?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Who takes what comes. */
export interface LineReader {
  command(command: Command): void;
  worker(messages: readonly unknown[]): void;
}

/**
 * The way to the process of the test: a JSON object a line, in both directions. Commands with their answers and the worker protocol go
 * one way, so that what a handler said before its answer is known before it.
 */
export class LineChannel {
  /** Told with each line: milliseconds since the epoch. */
  now: () => number = () => 0;
  private told: number | undefined;
  private asked = 0;
  private readonly waiting = new Map<number, (line: Line) => void>();

  constructor(private readonly output: (line: string) => void) {}

  /** Resolves when the other side has closed its end. */
  async read(input: Readable, reader: LineReader): Promise<void> {
    for await (const text of createInterface({ input, crlfDelay: Infinity })) this.take(JSON.parse(text) as Line, reader);
  }

  /** `members`: JSON, without the braces. */
  write(members: string): void {
    const now = this.now();
    this.told = now;
    this.output(`{"now":${now},${members}}\n`);
  }

  /** Time has moved. */
  tellTime(): void {
    if (this.now() !== this.told) this.write('"moved":true');
  }

  /** Resolves when the event loop of the test's process answers. */
  alive(): Promise<void> {
    const question = ++this.asked;
    this.write(`"alive":${question}`);
    return new Promise((resolve) => void this.waiting.set(question, () => resolve()));
  }

  /** What a function of the test's process makes of an operation. @throws OperationError of the function */
  operation(name: string, args: unknown): Promise<unknown> {
    const question = ++this.asked;
    this.write(`"fake":${question},"op":${JSON.stringify(name)},"args":${JSON.stringify(args)}`);
    return new Promise((resolve, reject) => void this.waiting.set(question, ({ value, error }) => {
      if (error) reject(new OperationError(error.code, error.message));
      else resolve(value);
    }));
  }

  private take(line: Line, reader: LineReader): void {
    const { worker, alive, fake = alive, id, do: name, args = {} } = line;
    if (worker) reader.worker(worker);
    if (id !== undefined && name !== undefined) reader.command({ id, do: name, args });
    if (fake !== undefined) {
      this.waiting.get(fake)?.(line);
      this.waiting.delete(fake);
    }
  }
}
