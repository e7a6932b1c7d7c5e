import { extentText, zoomText } from './timeline.js';
import type { TimeScale } from './time-scale.js';

/** A stretch of a whole trace, as parts of its width: 0 to 1. */
type Stretch = readonly [from: number, to: number];

/** Part of what is shown that a step to the side goes. */
const STEP = 0.25;
/** Nothing shorter is zoomed into: the address has microseconds. */
const SHORTEST_MS = 0.003;

/** The text for the address of a stretch of the whole. */
export function stretchText(whole: TimeScale, [from, to]: Stretch): string | null {
  return from <= 0 && to >= 1 ? null : zoomText(whole, whole.timeAt(Math.max(0, from)) - whole.from, whole.timeAt(Math.min(1, to)) - whole.from);
}

/** What is shown, as a stretch of the whole. */
function stretchOf(whole: TimeScale, shown: TimeScale): Stretch {
  return [whole.part(shown.from), whole.part(shown.from + shown.lengthMs)];
}

/** So many times as long, around a place of what is shown: 0 at its beginning, 1 at its end. What would be too short to be shown stays as it is. */
export function zoomedBy(whole: TimeScale, shown: TimeScale, { factor, around = 0.5 }: { readonly factor: number; readonly around?: number }): string | null {
  const [from, to] = stretchOf(whole, shown);
  const center = whole.part(shown.timeAt(around));
  const [before, after] = [(center - from) * factor, (to - center) * factor];
  const next = within(center - before, before + after);
  if (factor < 1 && whole.timeAt(next[1]) - whole.timeAt(next[0]) < SHORTEST_MS) return shown.lengthMs < whole.lengthMs ? extentText(shown) : null;
  return stretchText(whole, next);
}

/** So many steps to the side, as long as before. */
export function panned(whole: TimeScale, shown: TimeScale, steps: number): string | null {
  const [from, to] = stretchOf(whole, shown);
  return stretchText(whole, within(from + steps * STEP * (to - from), to - from));
}

function within(from: number, length: number): Stretch {
  const begin = Math.max(0, Math.min(1 - length, from));
  return [begin, begin + length];
}
