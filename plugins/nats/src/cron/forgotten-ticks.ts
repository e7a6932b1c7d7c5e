/** Spans that are kept of a trigger. */
const MOST_SPANS = 1_000;
const SECOND = 1_000;

/** Ticks from the first to the last, whole seconds apart, whose records were removed; none of them is ever claimed again. */
export interface TickSpan {
  readonly first: number;
  readonly last: number;
}

export function isForgotten(spans: readonly TickSpan[], tick: number): boolean {
  const span = spanOf(spans, tick);
  return span !== undefined && span.last >= tick;
}

/**
 * Spans that have a tick as well; lowest first.
 * @param apart it was not recorded when it came, but later, or before it: it makes no span longer, as ticks between would count as forgotten
 */
export function withForgotten(spans: readonly TickSpan[], tick: number, apart: boolean): readonly TickSpan[] {
  const span = spanOf(spans, tick);
  if (span && span.last >= tick) return spans;
  if (span && !apart) return spans.map((each) => (each === span ? { first: span.first, last: tick } : each));
  return [...spans, { first: tick, last: tick }].sort((a, b) => a.first - b.first).slice(-MOST_SPANS);
}

/** The last span that begins at the tick or whole seconds before it. */
function spanOf(spans: readonly TickSpan[], tick: number): TickSpan | undefined {
  return spans.filter(({ first }) => first <= tick && (tick - first) % SECOND === 0).at(-1);
}
