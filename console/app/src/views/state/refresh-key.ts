import { refresh } from '../../api/use-api.js';

/** After a write of one's own: the key with its history, and the list that it is in. */
export function refreshKey(group: string, key: string): void {
  refresh('/state/groups/{group}/keys/{key}', { group, key });
  refresh('GET /state/groups/{group}/keys', { group });
}
