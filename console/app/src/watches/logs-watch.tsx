import { useState } from 'react';
import type { LogEvent } from '../api/types.generated.js';
import { count } from '../format/numbers.js';
import { useLive } from '../live/use-live.js';
import { paths } from '../url/paths.js';
import { useTold } from './use-told.js';
import { WatchChip } from './watch-chip.js';

/** A query of the log, from now on: says when a line fits, and goes on counting. */
export function LogsWatch({ q, onLeave }: { readonly q: string; readonly onLeave: () => void }) {
  const [{ lines, last, missed, refused }, set] = useState({ lines: 0, last: '', missed: false, refused: '' });
  useLive('logs', q === '' ? {} : { q }, {
    events: (events) => set((before) => (events as readonly LogEvent[]).reduce((sum, event) => ('dropped' in event ? { ...sum, lines: sum.lines + event.dropped } : { ...sum, lines: sum.lines + 1, last: event.message }), before)),
    gap: (dropped) => set((before) => ({ ...before, lines: before.lines + dropped })),
    // What came while the engine could not be heard is not counted.
    resumed: () => set((before) => ({ ...before, missed: true, refused: '' })), ended: (_code, detail) => set((before) => ({ ...before, refused: detail })),
  });
  const [tone, word] = refused !== '' ? ['bad', `not followed: ${refused}`] as const : lines > 0 ? ['warn', `${count(lines)}${missed ? ' or more' : ''} since`] as const : ['info', missed ? 'none seen' : 'none yet'] as const;
  const name = q === '' ? 'all log lines' : q;
  useTold(lines > 0 ? `A line fits ${name}: ${last}` : undefined, 'bad', paths.logs(q), { begins: true });
  return <WatchChip to={paths.logs(q)} name={name} tone={tone} word={word} version={String(lines)} onLeave={onLeave} />;
}
