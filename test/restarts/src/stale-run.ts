import { EngineProcess } from '../../support/engine-process.js';
import { request } from '../../support/http-client.js';
import { PLACE, restartsApplication } from './application.js';
import { browserClient, type FamilySubscription, NodeClient } from './family-clients.js';

/** Against hanging: how long a client may take to show what is stored; milliseconds. */
const SHOWN_MS = 60_000;

/** Writes one item `times` at once, `rounds` times, and counts the rounds after which a client of the family shows something else. */
export async function runStale({ rounds, times }: { readonly rounds: number; readonly times: number }): Promise<{ stale: number; rounds: number }> {
  const cwd = restartsApplication({ http: 0, stream: 0 });
  const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
  const [http, address] = [await engine.ready(), await engine.address('stream')];
  const clients = [new NodeClient(address), new (await browserClient())(address)];
  const followers = clients.flatMap((client) => [
    client.subscribeItem(PLACE.streamName, PLACE.groupId, PLACE.id), client.subscribeGroup(PLACE.streamName, PLACE.groupId),
  ]);
  let stale = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { status, json, text } = await request('POST', `${http}/set`, { from: round * times, times });
    if (status !== 200) throw new Error(`the writes of round ${round} were answered ${status} ${text}`);
    const { n } = json as { readonly n: number };
    const shown = await Promise.all(followers.map((follower) => shows(follower, n)));
    if (shown.includes(false)) stale += 1;
  }
  for (const client of clients) Object.assign(client, { createSocket: () => undefined, onSocketClose: () => undefined }).close();
  await engine.stop();
  return { stale, rounds };
}

/** Whether a subscription shows this version of the item, now or in time. */
export async function shows(follower: FamilySubscription, n: number, limitMs: number = SHOWN_MS): Promise<boolean> {
  for (const end = Date.now() + limitMs; Date.now() < end;) {
    const state = follower.getState();
    const item = (Array.isArray(state) ? state[0] : state) as { n?: number } | null | undefined;
    if (item?.n === n) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}
