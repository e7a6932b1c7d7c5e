import type { ServerProcess } from '@treadle/testing';
import { startNats } from './server.fixture.js';

let shared: Promise<ServerProcess> | undefined;

/** The address of the server that all tests of this process share. */
export async function serverUrl(): Promise<string> {
  return (await (shared ??= startNats())).url;
}

after(async () => {
  await (await shared)?.stop();
  shared = undefined;
});
