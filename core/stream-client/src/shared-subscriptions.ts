import type { StreamClient } from './stream-client.js';
import type { StreamSubscription } from './subscription.js';
import type { StreamTarget } from './wire.js';

interface Shared {
  readonly subscription: StreamSubscription;
  users: number;
  /** Closes it when nobody comes back in time. */
  lingering?: ReturnType<typeof setTimeout>;
}

/** How long an unused subscription stays: components that are shown again at once find it as it was; milliseconds. */
const LINGER_MS = 1_000;

const SHARED = new WeakMap<StreamClient, Map<string, Shared>>();

/** Text that is the same for the same target. */
export function keyOf({ streamName, groupId, id }: StreamTarget): string {
  return JSON.stringify([streamName, groupId, id]);
}

/** One subscription for all that follow the same target. The result gives it back. */
export function acquire(client: StreamClient, target: StreamTarget): { readonly subscription: StreamSubscription; release(): void } {
  const all = SHARED.get(client) ?? new Map<string, Shared>();
  SHARED.set(client, all);
  const key = keyOf(target);
  const found = all.get(key);
  const shared: Shared = found && found.subscription.status !== 'closed' ? found : { subscription: client.subscribe(target), users: 0 };
  all.set(key, shared);
  clearTimeout(shared.lingering);
  shared.users += 1;
  let isUsed = true;
  const release = (): void => {
    if (!isUsed) return;
    isUsed = false;
    shared.users -= 1;
    if (shared.users === 0) shared.lingering = setTimeout(() => closeUnused(all, key, shared), LINGER_MS);
  };
  return { subscription: shared.subscription, release };
}

/** The shared subscription to a target, if there is one. */
export function peek(client: StreamClient, target: StreamTarget): StreamSubscription | undefined {
  return SHARED.get(client)?.get(keyOf(target))?.subscription;
}

function closeUnused(all: Map<string, Shared>, key: string, shared: Shared): void {
  if (all.get(key) === shared) all.delete(key);
  shared.subscription.close();
}
