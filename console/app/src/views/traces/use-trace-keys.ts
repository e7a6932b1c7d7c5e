import type { SpanRow } from '../../api/types.generated.js';
import { useCommands } from '../../keys/commands.js';
import type { Line } from './timeline.js';

interface Parts {
  readonly lines: readonly Line[];
  readonly selected: string;
  readonly folded: ReadonlySet<string>;
  readonly onSelect: (spanId: string) => void;
  readonly fold: (spanId: string) => void;
  /** The same for a span with all that is below it. */
  readonly foldBelow: (spanId: string, wanted: boolean) => void;
  /** Leaves so many levels open. */
  readonly foldTo: (depth: number) => void;
  /** Where `n` and `N` go. */
  readonly fits: (span: SpanRow) => boolean;
}

const LEVELS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];

/** Moving through and folding the spans of a trace. */
export function useTraceKeys({ lines, selected, folded, onSelect, fold, foldBelow, foldTo, fits }: Parts): void {
  const spans = lines.filter(({ type }) => type === 'span').map(({ span }) => span);
  const at = spans.findIndex(({ spanId }) => spanId === selected);
  const go = (to: SpanRow | undefined): void => void (to && onSelect(to.spanId));
  const matching = (step: 1 | -1): SpanRow | undefined => {
    const order = step === 1 ? [...spans.slice(at + 1), ...spans.slice(0, at + 1)] : [...spans.slice(0, Math.max(0, at)).reverse(), ...spans.slice(Math.max(0, at)).reverse()];
    return order.find(fits);
  };
  const setFold = (wanted: boolean): void => {
    const span = spans[at];
    if (span && span.children > 0 && folded.has(span.spanId) !== wanted) fold(span.spanId);
    else if (wanted) go(spans.slice(0, Math.max(0, at)).reverse().find(({ depth }) => depth < (span?.depth ?? 0)));
    else go(spans[at + 1]);
  };
  useCommands([
    { title: 'Next span', keys: ['j', 'ArrowDown'], quiet: true, run: () => go(spans[at + 1] ?? spans[at]) },
    { title: 'Previous span', keys: ['k', 'ArrowUp'], quiet: true, run: () => go(spans[Math.max(0, at - 1)]) },
    { title: 'Fold, or go to the parent', keys: ['ArrowLeft'], quiet: true, run: () => setFold(true) },
    { title: 'Unfold, or go to the first child', keys: ['ArrowRight'], quiet: true, run: () => setFold(false) },
    ...at < 0 ? [] : [
      { title: 'Fold all below the span', keys: ['Shift+ArrowLeft'], quiet: true, run: () => foldBelow(selected, true) },
      { title: 'Unfold all below the span', keys: ['Shift+ArrowRight'], quiet: true, run: () => foldBelow(selected, false) },
    ],
    { title: 'Next match or error', keys: ['n'], run: () => go(matching(1)) },
    { title: 'Previous match or error', keys: ['N'], run: () => go(matching(-1)) },
    ...LEVELS.map((key) => ({ title: 'Fold to a level', keys: [key], quiet: true, run: () => foldTo(Number(key)) })),
  ]);
}
