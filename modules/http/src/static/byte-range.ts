import parseRange from 'range-parser';

/** Part of a file: both ends belong to it. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Headers of a request that asks for a part. */
interface RangeHeaders {
  readonly range?: string | undefined;
  readonly 'if-range'?: string | string[] | undefined;
}

/**
 * The part of a file that a request asks for: undefined for the whole of it, `unsatisfiable` when it has no such part. Several parts
 * at once, other units and what cannot be read are answered with the whole file, as RFC 9110 allows.
 * @source RFC 9110, sections 13.1.5 and 14.2
 */
export function requestedRange(headers: RangeHeaders, file: { readonly size: number; readonly modifiedMs: number }): ByteRange | 'unsatisfiable' | undefined {
  if (headers.range === undefined || isOutdated(headers['if-range'], file.modifiedMs)) return undefined;
  const ranges = parseRange(file.size, headers.range, { combine: true });
  if (ranges === -1) return 'unsatisfiable';
  if (ranges === -2 || ranges.type !== 'bytes') return undefined;
  const [only, ...others] = ranges;
  return others.length > 0 ? undefined : only;
}

/** Our entity tags are weak and never hold for parts; a date holds when it is that of the file, to the second. */
function isOutdated(condition: string | string[] | undefined, modifiedMs: number): boolean {
  return condition !== undefined && Date.parse(String(condition)) !== Math.floor(modifiedMs / 1000) * 1000;
}
