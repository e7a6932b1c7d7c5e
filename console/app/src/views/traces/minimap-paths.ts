import type { SpanRow } from '../../api/types.generated.js';
import type { TimeScale } from './time-scale.js';

/** Units of the drawing's width. */
export const WIDTH = 1000;
/** Spans below each other that are told apart. */
const LANES = 24;
export const HEIGHT = 48;
/** Above the spans, for errors. */
const TOP = 8;

export interface MinimapPaths {
  readonly spans: string;
  readonly errors: string;
}

/** All spans and where some failed, as two SVG paths. What falls on the same place is drawn once, so that much costs little. */
export function minimapPaths(rows: readonly SpanRow[], { part }: TimeScale): MinimapPaths {
  const place = (time: number): number => Math.max(0, Math.min(WIDTH, Math.round(part(time) * WIDTH)));
  const height = (HEIGHT - TOP) / Math.min(LANES, Math.max(1, rows.length));
  const [spans, errors] = [new Set<string>(), new Set<string>()];
  for (const [at, { startTime, durationMs, error }] of rows.entries()) {
    const lane = Math.floor((at / rows.length) * Math.min(LANES, rows.length));
    const [left, right] = [place(startTime), place(startTime + durationMs)];
    spans.add(`M${left} ${round(TOP + lane * height)}h${Math.max(2, right - left)}v${round(height * 0.7)}H${left}z`);
    if (error) errors.add(`M${Math.min(WIDTH - 3, right)} 0h3v${TOP - 1}h-3z`);
  }
  return { spans: [...spans].join(''), errors: [...errors].join('') };
}

const round = (value: number): number => Number(value.toFixed(2));
