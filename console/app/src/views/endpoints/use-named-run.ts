import type { RunRecord } from '../../api/types.generated.js';
import type { ApiError } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { matchPath } from '../../url/match-path.js';
import { useParam } from '../../url/location.js';
import type { Endpoint } from './endpoint.js';

/** The request of the address, else the latest. `gone`: it is not kept, or it was one for another endpoint. */
export interface NamedRun {
  readonly state: 'asked' | 'here' | 'gone';
  /** Absent also where none was sent yet. */
  readonly record?: RunRecord | undefined;
  /** Why there is none. */
  readonly error?: ApiError;
}

/** One that is not among the latest is asked for by itself. */
export function useNamedRun(endpoint: Endpoint, latest: readonly RunRecord[]): NamedRun {
  const [req] = useParam('req');
  const listed = req === '' ? latest[0] : latest.find(({ id }) => id === req);
  const { data, error } = useApi('GET /history/{id}', { id: req }, { enabled: req !== '' && !listed });
  if (listed || req === '') return { state: 'here', record: listed };
  if (data) return isOf(endpoint, data) ? { state: 'here', record: data } : { state: 'gone' };
  if (error) return { state: error.status === 404 ? 'gone' : 'here', error };
  return { state: 'asked' };
}

function isOf({ method, path }: Endpoint, { request }: RunRecord): boolean {
  return request.kind === 'http' && request.method === method && matchPath(path, request.path.split('?', 1)[0] ?? '') !== undefined;
}
