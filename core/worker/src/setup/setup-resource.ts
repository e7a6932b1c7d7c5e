import type { StepLogger } from 'treadle';
import { describeError } from '../running/failure.js';
import { mark } from '../session/marks.js';
import { OpenSetup, within } from './open-setup.js';
import type { SetupDefinition } from './setup-file.js';

/** Pauses between attempts to open, in milliseconds; the last one again and again. */
const PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 30_000];

export interface ResourceSurroundings {
  /** Relative to the root, with `/`. */
  readonly file: string;
  readonly name: string;
  readonly logger: StepLogger;
  /** Runs a function in the name of its file. */
  readonly run: <T>(task: () => T) => T;
  /** It was opened, or an attempt to do so came to nothing. */
  readonly onChange: () => void;
}

/** One setup: opens what its file declares, again when that came to nothing, and anew when the file has changed. */
export class SetupResource {
  /** What handlers use; the one before stays until the new one is open. */
  opened: OpenSetup | undefined;
  /** Why it is not open as its file says now. */
  failure: string | undefined;
  #definition: SetupDefinition | undefined;
  #attempt = 0;
  #retry: NodeJS.Timeout | undefined;
  #controller = new AbortController();

  constructor(private readonly around: ResourceSurroundings) {}

  /** Opens it as its file says; the same definition is opened once. Resolves when that has come to something; never rejects. */
  async define(definition: SetupDefinition, env: Readonly<Record<string, unknown>>): Promise<void> {
    if (definition === this.#definition) return;
    this.#drop();
    this.#definition = definition;
    await this.#open(definition, env);
  }

  /** It cannot be opened now. Whatever is open stays. */
  refuse(failure: string): void {
    this.#drop();
    this.failure = failure;
  }

  /** No more attempts. What is open is closed by those who use it. */
  end(): void {
    this.#drop();
  }

  #drop(): void {
    clearTimeout(this.#retry);
    this.#controller.abort(new Error(`the setup "${this.around.name}" is not needed any more`));
    this.#controller = new AbortController();
    this.#definition = undefined;
    this.#attempt = 0;
  }

  async #open(definition: SetupDefinition, env: Readonly<Record<string, unknown>>): Promise<void> {
    const { file, name, logger, run, onChange } = this.around;
    const controller = this.#controller;
    const { signal } = controller;
    mark({ opening: file });
    const work = run(async () => definition.open({ name, env: env as never, logger, signal }));
    work.catch(() => undefined).finally(() => mark({ opened: file }));
    try {
      const value = await within(work, definition.openTimeoutMs, 'open');
      if (signal.aborted) return void this.#opened(value, definition).close();
      this.opened = this.#opened(value, definition);
      this.failure = undefined;
    } catch (error) {
      if (signal.aborted) return this.#closeLate(work, definition);
      controller.abort(error);
      this.#closeLate(work, definition);
      this.#controller = new AbortController();
      this.failure = describeError(error).message;
      const pause = PAUSES_MS[Math.min(this.#attempt++, PAUSES_MS.length - 1)] as number;
      logger.error(`the setup "${name}" cannot be opened; it is tried again`, { error, inMs: pause });
      this.#retry = setTimeout(() => void this.#open(definition, env).then(onChange), pause);
    }
  }

  /** Whatever an attempt that was given up opens in the end. */
  #closeLate(work: Promise<unknown>, definition: SetupDefinition): void {
    work.then((value) => this.#opened(value, definition).close(), () => undefined);
  }

  #opened(value: unknown, definition: SetupDefinition): OpenSetup {
    const { name, logger } = this.around;
    return new OpenSetup(value, definition, (error) => logger.error(`the setup "${name}" cannot be closed in order`, { error }));
  }
}
