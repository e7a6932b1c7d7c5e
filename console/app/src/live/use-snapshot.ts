import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ApiError } from '../api/client.js';
import type { AnswerOf, Arguments, ReadId } from '../api/operations.js';
import type { NamedTopic } from '../api/types.generated.js';
import { asking, queryClient } from '../api/use-api.js';
import { useLive } from './use-live.js';

/** Topics whose frames are the answer of the route of that name. */
type SnapshotTopic = Exclude<NamedTopic, 'logs' | 'traces' | 'state' | 'stream' | 'join'>;

/** An answer of which the engine sends every change. */
export function useSnapshot<I extends Extract<ReadId, `GET /${SnapshotTopic}`>>(id: I): UseQueryResult<AnswerOf<I>, ApiError> {
  useLive(id.slice('GET /'.length) as SnapshotTopic, {}, { snapshot: (data) => queryClient.setQueryData([id, {}], data) });
  return useQuery(asking(id, {} as Arguments<I>));
}
