import type { ScaleResult, ViewResult } from './scale-run.js';
import type { TailResult } from './tail.js';

/** Processor time of the page's main thread until a view can be used; milliseconds. */
const USABLE_MS = 800;
const TRACE_USABLE_MS = 300;
/** A browser that has nothing of the page: until something is painted, and until its view is there; by the clock. */
const [PAINT_MS, COLD_USABLE_MS] = [400, 800];
/** Part of a processor that an idle page may take. */
const IDLE_PERCENT = 1;
/** Elements of a view, whatever it has to show, and its scripts' memory. */
const [MOST_ELEMENTS, MOST_HEAP_MB] = [3_000, 150];
/** Part of the lines of a tail that is shown, or left out with a mark. */
const LEAST_ACCOUNTED = 0.95;
/** From the second tenth of the time on, or from when its list is full, a page may grow by as much. */
const [SETTLED, FULL_ROWS, LEAST_SECONDS, MOST_GROWTH] = [2, 20_000, 300, 0.1];
/** Age of the newest line that is shown: an engine that the machine lets wait tells pages seldom, but does. */
const MOST_AGE_MS = 60_000;
/** By the clock, which says something on a machine that does nothing else. */
const [LONGEST_TASK_MS, FRAME_P95_MS, AGE_P95_MS, CALM_AGE_MS] = [100, 33, 1_000, 5_000];

/** What of a run is above its budget, a line each. `clock` judges times of the clock as well. */
export function aboveBudget({ cold, views, tail, idlePercent }: ScaleResult, clock: boolean): readonly string[] {
  return [
    ...clock ? [...over('cold load: ms until something is painted', cold.paintMs, PAINT_MS), ...over('cold load: ms until it can be used', cold.usableMs, COLD_USABLE_MS)] : [],
    ...views.flatMap((one) => ofView(one, clock)),
    ...over('idle page: % of a processor', idlePercent, IDLE_PERCENT),
    ...ofTail(tail, clock),
  ];
}

function ofTail({ elements, heapMb, rows, residentMb, seconds, lines: { of, shown, marked }, ageMs, p95Ms }: TailResult, clock: boolean): readonly string[] {
  const from = rows.findIndex((count, at) => at >= SETTLED && count >= FULL_ROWS);
  const grown = (mb: readonly number[]): number => (mb.at(-1) ?? NaN) / (mb[from] ?? NaN) - 1;
  return [
    ...over('tail: elements', elements, MOST_ELEMENTS), ...over('tail: MB of scripts', Math.max(...heapMb), MOST_HEAP_MB),
    ...over('tail: part of its lines that is neither shown nor marked as left out', round(1 - (shown + marked) / of), round(1 - LEAST_ACCOUNTED)), ...over('tail: greatest age of the newest line, ms', ageMs.max, clock ? CALM_AGE_MS : MOST_AGE_MS),
    ...seconds < LEAST_SECONDS ? [] : [...over('tail: growth of scripts', round(grown(heapMb)), MOST_GROWTH), ...over("tail: growth of the page's process", round(grown(residentMb)), MOST_GROWTH)],
    ...clock ? [...over('tail: p95 of a frame, ms', p95Ms, FRAME_P95_MS), ...over('tail: p95 of the age of the newest line, ms', ageMs.p95, AGE_P95_MS)] : [],
  ];
}

function ofView({ view, ms, cpuMs, elements, heapMb, longestTaskMs, scroll }: ViewResult, clock: boolean): readonly string[] {
  return [
    ...over(`${view}: ms of processor time until it can be used`, cpuMs, view === 'trace' ? TRACE_USABLE_MS : USABLE_MS), ...over(`${view}: elements`, elements, MOST_ELEMENTS), ...over(`${view}: MB of scripts`, heapMb, MOST_HEAP_MB),
    ...clock && view === 'trace' ? over(`${view}: ms until it can be used`, ms, TRACE_USABLE_MS) : [],
    ...clock ? [...over(`${view}: longest task, ms`, longestTaskMs, LONGEST_TASK_MS), ...scroll ? over(`${view}: p95 of a frame, ms`, scroll.p95Ms, FRAME_P95_MS) : []] : [],
  ];
}

/** A figure that is missing is no figure within its budget. */
function over(what: string, found: number, most: number): readonly string[] {
  return found <= most ? [] : [`${what}: ${found} instead of at most ${most}`];
}

const round = (part: number): number => Math.round(part * 1000) / 1000;
