import { inspect } from 'node:util';
import { HttpError } from 'treadle';
import type { OpenSetup } from './open-setup.js';

/**
 * What handlers that begin now find open. A handler keeps the generation that it began with; what only an older one has is closed when the last
 * of its handlers has ended.
 */
export class Generation {
  readonly setup: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, unknown>>;
  #running = 0;
  #retired = false;

  /** `absent`: names that are not open now, with the reason. */
  constructor(
    private readonly open: ReadonlyMap<string, OpenSetup>, absent: ReadonlyMap<string, string>, env: Readonly<Record<string, unknown>>,
    private readonly onClosing: (closing: Promise<void>) => void,
  ) {
    for (const each of open.values()) each.hold();
    this.setup = membersOf(open, absent);
    this.env = unshown(env);
  }

  enter(): void {
    this.#running++;
  }

  leave(): void {
    if (--this.#running === 0 && this.#retired) this.#release();
  }

  /** Another one has taken its place. */
  retire(): void {
    this.#retired = true;
    if (this.#running === 0) this.#release();
  }

  #release(): void {
    for (const each of this.open.values()) {
      const closing = each.release();
      if (closing) this.onClosing(closing);
    }
  }
}

function membersOf(open: ReadonlyMap<string, OpenSetup>, absent: ReadonlyMap<string, string>): Readonly<Record<string, unknown>> {
  const members = {};
  for (const [name, { value }] of open) Object.defineProperty(members, name, { value, enumerable: true });
  for (const [name, reason] of absent) {
    if (!open.has(name)) Object.defineProperty(members, name, { get: () => { throw notOpen(name, reason); }, enumerable: false });
  }
  return unshown(members);
}

/** A request that needs it is answered with 503; what else needs it fails. */
function notOpen(name: string, reason: string): Error {
  const error = new HttpError(503, { error: 'Service Unavailable', code: 'no_worker' }, { 'retry-after': '1' });
  error.message = `ctx.setup.${name} is not open: ${reason}`;
  return error;
}

/** Members that a log or an answer never shows: connections have no text, and variables hold secrets. */
function unshown(members: object): Readonly<Record<string, unknown>> {
  const names = (): object => Object.fromEntries(Object.keys(members).map((name) => [name, '[not shown]']));
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(members));
  Object.defineProperty(copy, 'toJSON', { value: names });
  Object.defineProperty(copy, inspect.custom, { value: names });
  return Object.freeze(copy);
}
