import type { TraceView } from '../api/types.generated.js';
import { refresh, useApi } from '../api/use-api.js';
import { duration } from '../format/duration.js';
import { useLive } from '../live/use-live.js';
import { paths } from '../url/paths.js';
import { endOf } from '../views/traces/timeline.js';
import { useSettled } from '../views/traces/use-settled.js';
import { useTold } from './use-told.js';
import { WatchChip } from './watch-chip.js';

const LIMIT = 5_000;
const NONE = 404;

interface Props {
  readonly id: string;
  readonly name: string;
  readonly onLeave: () => void;
}

/** A trace until it has settled. */
export function TraceWatch(props: Props) {
  const { data, error } = useApi('GET /traces/{id}', { id: props.id, limit: LIMIT }, { keep: true });
  // It may begin anew, with the next attempt of a message.
  useLive('traces', { q: `trace:${props.id}` }, { events: () => refresh('GET /traces/{id}', { id: props.id }) }, data === undefined);
  if (data) return <Known {...props} view={data} isGone={error?.status === NONE} />;
  const [tone, word] = error?.status === NONE ? ['warn', 'not kept'] as const : error ? ['bad', 'not known'] as const : ['plain', '…'] as const;
  return <WatchChip to={paths.trace(props.id)} name={props.name} tone={tone} word={word} version="" onLeave={props.onLeave} />;
}

/** `isGone`: the engine has it no longer, such as after it was started anew. */
function Known({ id, name, onLeave, view: { rows, path, omitted }, isGone }: Props & { readonly view: TraceView; readonly isGone: boolean }) {
  const end = endOf(rows);
  const settled = useSettled(id, { spans: rows.length + omitted, waits: end.tone === 'warn', since: path.startTime + path.durationMs });
  const to = paths.trace(id);
  const [tone, word] = isGone ? ['warn', 'not kept'] as const : settled || end.tone === 'warn' ? [end.tone, end.words] as const : ['info', 'running'] as const;
  useTold(settled && !isGone ? `${name}: ${end.words}, ${duration(path.durationMs)}` : undefined, end.tone === 'bad' ? 'bad' : 'ok', to);
  return <WatchChip to={to} name={name} tone={tone} word={word} version={isGone ? '' : settled ? 'settled' : 'running'} onLeave={onLeave} />;
}
