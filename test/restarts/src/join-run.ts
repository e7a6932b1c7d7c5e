import { freePort } from '@treadle/testing';
import { EngineProcess } from '../../support/engine-process.js';
import { request } from '../../support/http-client.js';
import { waitUntil } from '../../support/wait-until.js';
import { KNOWN_ROUTE, PLACE, restartsApplication } from './application.js';
import { browserClient, type FamilyStream } from './family-clients.js';
import { type RouteAnswers, RouteProbe } from './route-probe.js';
import { shows } from './stale-run.js';

/** Clients that stay over all restarts. */
const LASTING = 5;
/** How often a new client comes; milliseconds. */
const JOIN_EVERY_MS = 50;
/** The family's clients connect again after 2 s; milliseconds. */
const BACK_MS = 60_000;
const STORED_MS = 60_000;

export interface JoinResult {
  readonly restarts: number;
  /** Clients that came while the engine was restarted. */
  readonly joined: number;
  readonly leftBehind: number;
  /** What requests to a known route were answered from the first start to the end. */
  readonly answers: RouteAnswers;
}

/** Kills the engine again and again while clients join in a loop, and counts those that do not show the newest item. */
export async function runJoins(restarts: number): Promise<JoinResult> {
  const ports = { http: await freePort(), stream: await freePort() };
  const cwd = restartsApplication(ports);
  const Stream = await browserClient();
  const follow = (): { stream: FamilyStream; item: ReturnType<FamilyStream['subscribeItem']> } => {
    const stream = new Stream(`ws://127.0.0.1:${ports.stream}`);
    return { stream, item: stream.subscribeItem(PLACE.streamName, PLACE.groupId, PLACE.id) };
  };
  let engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
  const probe = new RouteProbe(`${await engine.ready()}${KNOWN_ROUTE}`);
  const lasting = Array.from({ length: LASTING }, follow);
  let [joined, leftBehind] = [0, 0];
  for (let restart = 1; restart <= restarts; restart += 1) {
    const comers: ReturnType<typeof follow>[] = [];
    const coming = setInterval(() => comers.push(follow()), JOIN_EVERY_MS);
    await engine.stop('SIGKILL');
    engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
    const http = await engine.ready();
    // A machine with much else to do may refuse it for now.
    const stored = await waitUntil('a stored item', async () => {
      const { status, json } = await request('POST', `${http}/set`, { from: restart * 10, times: 10 });
      return status === 200 && json as { readonly n: number };
    }, STORED_MS);
    clearInterval(coming);
    const shown = await Promise.all([...lasting, ...comers].map(({ item }) => shows(item, stored.n, BACK_MS)));
    joined += comers.length;
    leftBehind += shown.filter((is) => !is).length;
    for (const { stream } of comers) leave(stream);
  }
  for (const { stream } of lasting) leave(stream);
  const answers = await probe.stop();
  await engine.stop();
  return { restarts, joined, leftBehind, answers };
}

/** Its `close` leaves the reconnecting to a listener that it cannot remove. */
function leave(stream: FamilyStream): void {
  Object.assign(stream, { createSocket: () => undefined });
  stream.close();
}
