import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Stream as NodeStream } from '@motiadev/stream-client-node';
import { WebSocket } from 'ws';
import { tempFolder } from '../../support/temp-folder.js';

/** What the family's clients have in common. */
export interface FamilySubscription {
  getState(): unknown;
  addChangeListener(listener: (state: unknown) => void): void;
}

export interface FamilyStream {
  subscribeItem(streamName: string, groupId: string, id: string): FamilySubscription;
  subscribeGroup(streamName: string, groupId: string): FamilySubscription;
  close(): void;
}

type Constructor = new (address: string) => FamilyStream;

/** As in browsers: an error without a listener ends nothing. */
class BrowserWebSocket extends WebSocket {
  constructor(address: string) {
    super(address);
    this.on('error', () => undefined);
  }
}

export const NodeClient = NodeStream as unknown as Constructor;

/** The client for browsers, bundled as an application would. It finds `WebSocket` as a global. */
export async function browserClient(): Promise<Constructor> {
  const { build } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild');
  const outfile = join(tempFolder(), 'client.mjs');
  await build({ entryPoints: [createRequire(import.meta.url).resolve('@motiadev/stream-client-browser')], bundle: true, format: 'esm', outfile, logLevel: 'silent' });
  Object.assign(globalThis, { WebSocket: BrowserWebSocket });
  return (await import(pathToFileURL(outfile).href) as { Stream: Constructor }).Stream;
}
