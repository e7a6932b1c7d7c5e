import { inspect } from 'node:util';
import type { StreamClient, StreamClients } from 'treadle';
import { streamClient, type Operate } from './operations.js';

/**
 * `ctx.streams`: any name is a client; whether there is such a stream is the engine's to say. Its own members are the streams that are
 * `declared` in this process and those that were asked for.
 */
export function streamClients(operate: Operate, declared: () => Iterable<string>): StreamClients {
  return new Proxy(TARGET, new Clients(operate, declared)) as StreamClients;
}

/** Shared by all, as nothing is kept in it. */
const TARGET = Object.create({ [inspect.custom](this: object): object { return { ...this }; } }) as object;

class Clients implements ProxyHandler<object> {
  readonly #clients = new Map<string, StreamClient>();
  readonly #operate: Operate;
  readonly #declared: () => Iterable<string>;

  constructor(operate: Operate, declared: () => Iterable<string>) {
    this.#operate = operate;
    this.#declared = declared;
  }

  get(_target: object, name: string | symbol): StreamClient | undefined {
    // `then` would be called by `await`, `toJSON` by JSON.stringify.
    if (typeof name !== 'string' || name === 'then' || name === 'toJSON') return undefined;
    let client = this.#clients.get(name);
    if (!client) this.#clients.set(name, client = streamClient(name, this.#operate));
    return client;
  }

  ownKeys(): string[] {
    return [...new Set([...this.#declared(), ...this.#clients.keys()])];
  }

  has(_target: object, name: string | symbol): boolean {
    return this.ownKeys().includes(name as string);
  }

  getOwnPropertyDescriptor(target: object, name: string | symbol): PropertyDescriptor | undefined {
    return this.has(target, name) ? { value: this.get(target, name), enumerable: true, configurable: true } : undefined;
  }

  defineProperty(): boolean {
    return false;
  }
}
