import type { SourceLocation } from '@treadle/api';
import type { LocatedMap } from '@treadle/config';
import type { GivenSetting } from '../planned.js';
import type { Registry } from '../registry.js';
import type { Candidate } from './composition.js';

/** Puts settings of the command line into the first entry of their class, in the place of what is written there. */
export function withGivenSettings(candidates: readonly Candidate[], given: readonly GivenSetting[], registry: Registry): readonly Candidate[] {
  const result = [...candidates];
  for (const setting of given) {
    const index = result.findIndex(({ entry }) => registry.find(entry.class)?.spec.id === setting.class);
    const candidate = result[index];
    if (candidate) result[index] = { ...candidate, entry: { ...candidate.entry, config: withSetting(candidate.entry.config, setting) } };
  }
  return result;
}

function withSetting(config: LocatedMap | undefined, { key, value, by }: GivenSetting): LocatedMap {
  const at: SourceLocation = { file: `(${by})` };
  const entries = new Map(config?.entries);
  entries.set(key, { keyAt: at, value: { kind: 'scalar', value, at, plain: true } });
  return { kind: 'map', at, ...config, entries };
}
