import type { ScaleResult, ViewResult } from './scale-run.js';

/** Processor time of the page's main thread until a view can be used; milliseconds. */
const USABLE_MS = 800;
const TRACE_USABLE_MS = 300;
/** Part of a processor that an idle page may take. */
const IDLE_PERCENT = 1;
/** Elements of a view, whatever it has to show, and its scripts' memory. */
const [MOST_ELEMENTS, MOST_HEAP_MB] = [3_000, 150];
/** By the clock, which says something on a machine that does nothing else. */
const [LONGEST_TASK_MS, FRAME_P95_MS] = [100, 33];

/** What of a run is above its budget, a line each. `clock` judges times of the clock as well. */
export function aboveBudget({ views, tail, idlePercent }: ScaleResult, clock: boolean): readonly string[] {
  return [
    ...views.flatMap((one) => ofView(one, clock)),
    ...over('idle page: % of a processor', idlePercent, IDLE_PERCENT),
    ...over('tail: elements', tail.elements, MOST_ELEMENTS), ...over('tail: MB of scripts', Math.max(...tail.heapMb), MOST_HEAP_MB), ...clock ? over('tail: p95 of a frame, ms', tail.p95Ms, FRAME_P95_MS) : [],
  ];
}

function ofView({ view, cpuMs, elements, heapMb, longestTaskMs, scroll }: ViewResult, clock: boolean): readonly string[] {
  return [
    ...over(`${view}: ms of processor time until it can be used`, cpuMs, view === 'trace' ? TRACE_USABLE_MS : USABLE_MS), ...over(`${view}: elements`, elements, MOST_ELEMENTS), ...over(`${view}: MB of scripts`, heapMb, MOST_HEAP_MB),
    ...clock ? [...over(`${view}: longest task, ms`, longestTaskMs, LONGEST_TASK_MS), ...scroll ? over(`${view}: p95 of a frame, ms`, scroll.p95Ms, FRAME_P95_MS) : []] : [],
  ];
}

/** A figure that is missing is no figure within its budget. */
function over(what: string, found: number, most: number): readonly string[] {
  return found <= most ? [] : [`${what}: ${found} instead of at most ${most}`];
}
