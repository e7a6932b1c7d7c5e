import { setTimeout as sleep } from 'node:timers/promises';
import { TcpProxy } from '@treadle/testing';
import type { SharedBackend } from '../../support/shared-backends.js';

type Adapters = SharedBackend['adapters'];

/** The connections of one engine to its servers, all of which fail together. */
export class Line {
  private constructor(/** As the engine has to be configured. */ readonly adapters: Adapters, private readonly proxies: readonly TcpProxy[]) {}

  static async to(adapters: Adapters): Promise<Line> {
    const proxies = new Map<string, TcpProxy>();
    for (const url of urlsIn(adapters)) proxies.set(url, await TcpProxy.start(Number(new URL(url).port)));
    const through = (url: string): string => Object.assign(new URL(url), { port: String(proxies.get(url)?.port) }).href;
    return new Line(JSON.parse(JSON.stringify(adapters, (name, value: unknown) => (name === 'url' ? through(value as string) : value))) as Adapters, [...proxies.values()]);
  }

  /** @param way as `TcpProxy` has it */
  async fail(way: 'cut' | 'silence', ms: number): Promise<void> {
    for (const proxy of this.proxies) proxy[way]();
    await sleep(ms);
    for (const proxy of this.proxies) proxy.restore();
  }

  async stop(): Promise<void> {
    await Promise.all(this.proxies.map((proxy) => proxy.stop()));
  }
}

function urlsIn(adapters: Adapters): ReadonlySet<string> {
  const urls = new Set<string>();
  JSON.stringify(adapters, (name, value: unknown) => {
    if (name === 'url') urls.add(value as string);
    return value;
  });
  return urls;
}
