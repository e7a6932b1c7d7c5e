import type { SourceLocation } from '@treadle/api';
import { keyPath, type Interpolated } from '../located.js';

/** What is known of a value of the config besides the value. */
export interface Place {
  readonly at: SourceLocation;
  /** Must not be shown. */
  readonly secret: boolean;
  /** As written, when that differs from the value: `0123`. */
  readonly text?: string | undefined;
  /** Quoted in the file. */
  readonly quoted?: boolean;
  /** Variables that gave the value. */
  readonly from?: Pick<Interpolated, 'variables' | 'fromDefault'> | undefined;
  /** What is wrong with it has been reported; the schema need not complain again. */
  readonly settled?: boolean;
}

/** Key of a place inside the config: `cors.origins[0]`; the config itself is the empty text. */
export type PlaceKey = string;

/** Full path of a place for errors: `modules[2].config.cors.origins[0]`. */
export function fullPath(base: string, place: PlaceKey): string {
  if (place === '' || place.startsWith('[')) return base + place;
  return base === '' ? place : `${base}.${place}`;
}

/** The last part of a place, as a text names it: `port`, `origins[0]`. */
export function leafOf(place: PlaceKey): string {
  return /([^.[\]]+(?:\[\d+\])*)$/.exec(place)?.[1] ?? place;
}

/** The place of a JSON pointer (as ajv gives it) in a value. */
export function placeOfPointer(value: unknown, pointer: string): PlaceKey {
  let place = '';
  let current = value;
  for (const segment of pointer.split('/').slice(1)) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    place = Array.isArray(current) ? `${place}[${key}]` : keyPath(place, key);
    current = (current as Record<string, unknown>)[key];
  }
  return place;
}

/** A place and all that it lies in, innermost first; the config itself last. */
export function* outwards(place: PlaceKey): Generator<PlaceKey> {
  let current = place;
  while (current !== '') {
    yield current;
    current = current.replace(/(?:\.[^.[\]]+|\[(?:\d+|"(?:[^"\\]|\\.)*")\]|^[^.[\]]+)$/, '');
  }
  yield '';
}
