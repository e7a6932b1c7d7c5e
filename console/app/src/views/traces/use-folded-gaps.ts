import { useMemo } from 'react';
import type { SpanRow } from '../../api/types.generated.js';
import { useCommands } from '../../keys/commands.js';
import { useParam } from '../../url/location.js';
import { foldable, type Gap, gapsOf, type TimeScale, timeScale } from './time-scale.js';
import type { Extent } from './timeline.js';

/** In the address: no gap is folded. */
const ALL = 'shown';

interface FoldedGaps {
  /** Of the whole trace, and of the part that is shown. */
  readonly whole: TimeScale;
  readonly shown: TimeScale;
  /** There are gaps that are, or were, folded. */
  readonly any: boolean;
  readonly isOpen: boolean;
  readonly toggleAll: () => void;
  readonly unfold: (gap: Gap) => void;
}

/** Idle stretches that are drawn short. Those that are not stand in the address as `idle`: `shown`, or where each begins, in milliseconds since the beginning of the trace. */
export function useFoldedGaps(rows: readonly SpanRow[], whole: Extent, shown: Extent): FoldedGaps {
  const [idle, setIdle] = useParam('idle');
  const gaps = useMemo(() => gapsOf(rows, whole), [rows, whole]);
  const open = idle === '' || idle === ALL ? [] : idle.split(',');
  const foldedIn = (extent: Extent): readonly Gap[] => (idle === ALL ? [] : foldable(gaps, extent).filter((gap) => !open.includes(nameOf(gap))));
  const scales = useMemo(() => ({ whole: timeScale(whole, foldedIn(whole)), shown: timeScale(shown, foldedIn(shown)) }), [gaps, whole, shown, idle]);
  const any = useMemo(() => foldable(gaps, shown).length > 0, [gaps, shown]);
  const toggleAll = (): void => setIdle(idle === '' ? ALL : null, { replace: true });
  useCommands([{ title: 'Fold idle time, or show it as long as it was', keys: ['i'], run: toggleAll }]);
  return { ...scales, any, isOpen: idle !== '', toggleAll, unfold: (gap) => setIdle([...open, nameOf(gap)].join(','), { replace: true }) };
}

const nameOf = (gap: Gap): string => String(Math.round(gap.from));
