import { createServer } from 'node:net';

/** Handles that the process itself or the runner holds. */
const OWN: ReadonlySet<string> = new Set(['TTYWrap', 'PipeWrap', 'FSReqPromise', 'FSReqCallback', 'CloseReq', 'ProcessWrap']);
const LOOK_MS = 20;

/** Kinds of open handles, counted. */
export type OpenHandles = ReadonlyMap<string, number>;

/** What keeps the process busy now, by kind. */
export function openHandles(): OpenHandles {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Kinds of which there are more than before, once what is being closed has had `ms` to do so; time in which the process was held up does not count. */
export async function leftOver(before: OpenHandles, ms: number): Promise<readonly string[]> {
  let left = more(before);
  for (let waitMs = ms; left.length > 0 && waitMs > 0; waitMs -= LOOK_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    left = more(before);
  }
  return left;
}

/** Listens on a TCP address (`http://127.0.0.1:3111`, `ws://…`) and lets go again; rejects when it is taken. */
export async function listenBriefly(address: string): Promise<void> {
  const { hostname, port } = new URL(address);
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(port), hostname.replace(/^\[|\]$/g, ''), resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}

/** True for an address with a TCP port. */
export function isTcp(address: string): boolean {
  return /^\w+:\/\/[^/]+:\d+/.test(address);
}

function more(before: OpenHandles): readonly string[] {
  // A timer that the look itself set does not count: it has fired when this runs.
  return [...openHandles()].filter(([kind, count]) => !OWN.has(kind) && count > (before.get(kind) ?? 0)).map(([kind]) => kind);
}
