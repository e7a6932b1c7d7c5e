import type { StepRecord } from '@treadle/api';

/** By id. */
export type Steps = ReadonlyMap<string, StepRecord>;

/** Where in the code a Step is. */
export function placeOf(steps: Steps, step: string): { readonly file?: string; readonly line?: number } {
  const { file, line } = steps.get(step) ?? {};
  return { ...file !== undefined && { file }, ...line !== undefined && { line } };
}
