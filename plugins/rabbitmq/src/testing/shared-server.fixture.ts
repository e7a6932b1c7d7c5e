import type { ServerProcess } from '@treadle/testing';
import { startRabbit } from './server.fixture.js';

let shared: Promise<ServerProcess> | undefined;

/** The server that all tests of this process share. */
export function sharedServer(): Promise<ServerProcess> {
  return shared ??= startRabbit();
}

after(async () => {
  await (await shared)?.stop();
  shared = undefined;
});
