import type { TraceSummary } from '../../api/types.generated.js';

/** Units of the drawing. */
export const [WIDTH, HEIGHT] = [1000, 100];

/** Where things stand: time to the right, duration upwards, each decade of it equally high. */
export interface Scale {
  readonly from: number;
  readonly to: number;
  readonly shortestMs: number;
  readonly longestMs: number;
}

/** Part of the drawing, from 0 to 1 each, `top` above `bottom`. */
export interface Brush {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const LEAST_MS = 0.01;
const [DOT, CROSS] = [4, 7];

export function scaleOf(items: readonly TraceSummary[]): Scale {
  let [from, to, shortestMs, longestMs] = [Infinity, -Infinity, Infinity, LEAST_MS];
  for (const { startTime, durationMs } of items) {
    [from, to] = [Math.min(from, startTime), Math.max(to, startTime)];
    [shortestMs, longestMs] = [Math.min(shortestMs, Math.max(LEAST_MS, durationMs)), Math.max(longestMs, durationMs)];
  }
  return { from, to: Math.max(to, from + 1), shortestMs: shortestMs * 0.8, longestMs: longestMs * 1.25 };
}

/** From 0, the longest, to 1. */
function depthOf(durationMs: number, { shortestMs, longestMs }: Scale): number {
  return 1 - Math.log(Math.max(LEAST_MS, durationMs) / shortestMs) / Math.log(longestMs / shortestMs);
}

function durationAt(depth: number, { shortestMs, longestMs }: Scale): number {
  return shortestMs * (longestMs / shortestMs) ** (1 - depth);
}

/** Points as two SVG paths: squares for what went well, bars that stand upright for what failed. */
export function scatterPaths(items: readonly TraceSummary[], scale: Scale): { readonly ok: string; readonly failed: string } {
  const paths = { ok: new Set<string>(), failed: new Set<string>() };
  for (const { startTime, durationMs, errors } of items) {
    const x = Math.round(((startTime - scale.from) / (scale.to - scale.from)) * (WIDTH - DOT));
    const y = Number((depthOf(durationMs, scale) * (HEIGHT - DOT)).toFixed(1));
    if (errors > 0) paths.failed.add(`M${x} ${Math.max(0, y - 3)}h${DOT}v${CROSS * 1.5}h-${DOT}z`);
    else paths.ok.add(`M${x} ${y}h${DOT}v${DOT}h-${DOT}z`);
  }
  return { ok: [...paths.ok].join(''), failed: [...paths.failed].join('') };
}

/** The query and the range of time of what lies in a part of the drawing. A part that is as high as all of it says nothing about durations. */
export function brushed(brush: Brush, scale: Scale, q: string): { readonly q: string; readonly from: string; readonly to: string } {
  const time = (part: number): string => new Date(scale.from + part * (scale.to - scale.from)).toISOString();
  const shortest = brush.bottom > 0.97 ? [] : [`duration:>=${unit(durationAt(brush.bottom, scale))}`];
  const longest = brush.top < 0.03 ? [] : [`duration:<=${unit(durationAt(brush.top, scale))}`];
  const others = q.split(/\s+/).filter((word) => word !== '' && !word.startsWith('duration:'));
  // A moment more, so that what begins at the very end is in it.
  return { q: (/\bOR\b|["(]/.test(q) ? [`(${q})`, ...shortest, ...longest] : [...others, ...shortest, ...longest]).join(' '), from: time(brush.left), to: new Date(Date.parse(time(brush.right)) + 1).toISOString() };
}

/** As the language of queries writes a duration, with three digits. */
function unit(ms: number): string {
  return ms < 1000 ? `${Number(ms.toPrecision(3))}ms` : `${Number((ms / 1000).toPrecision(3))}s`;
}
