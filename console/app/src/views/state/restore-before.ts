import { call } from '../../api/client.js';
import { attempt } from '../../parts/toasts.js';
import { refreshKey } from './refresh-key.js';

/** Makes what was before a write the value again, with `revision` over that one alone (0: there is no value); says so, or why not. */
export function restoreBefore(group: string, key: string, change: number, revision?: number): Promise<boolean> {
  return attempt(async () => {
    await call('POST /state/groups/{group}/keys/{key}/restore', { group, key, body: { change, ...revision !== undefined && { revision } } });
    refreshKey(group, key);
  }, `Restored ${key}`);
}
