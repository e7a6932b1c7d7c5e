import { refresh } from '../../api/use-api.js';

const LISTS = ['GET /state/groups/{group}/keys', 'GET /state/groups/{group}/tree', 'GET /state/groups/{group}/search'] as const;

/** After a write of one's own: the key with its history, and the list that it is in. */
export function refreshKey(group: string, key: string): void {
  refresh('/state/groups/{group}/keys/{key}', { group, key });
  for (const list of LISTS) refresh(list, { group });
}
