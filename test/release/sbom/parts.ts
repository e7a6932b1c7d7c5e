import { type Lock, type LockedPackage, type Need, needsOf } from './lock.js';

/** A package of a release, or one that comes with it. */
export interface Part {
  readonly name: string;
  readonly version: string;
  readonly locked: LockedPackage;
  /** Only reached where something may be left out. */
  optional: boolean;
  /** `name@version` of what it needs. */
  readonly needs: Set<string>;
}

/** Everything that is installed with the packages in these folders, by `name@version`, themselves included. */
export function partsOf(lock: Lock, folders: ReadonlyMap<string, string>, builtIn: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>();
  const placed = new Map<string, Part>();
  const visit = (place: string, name: string, optional: boolean): string => {
    const locked = lock.at(place);
    const { version = '' } = locked;
    const id = `${name}@${version}`;
    const known = placed.get(place);
    if (known && (optional || !known.optional)) return id;
    // The same version may be locked at several places.
    const part = parts.get(id) ?? { name, version, locked, optional, needs: new Set<string>() };
    part.optional &&= optional;
    parts.set(id, part);
    placed.set(place, part);
    const needs: readonly Need[] = [...needsOf(locked), ...(builtIn.get(place) ?? []).map((each) => ({ name: each, optional: false }))];
    for (const need of needs) {
      const target = lock.find(need.name, place);
      if (target === undefined && need.optional) continue;
      if (target === undefined) throw new Error(`package-lock.json has no ${need.name} for ${place}; run npm install`);
      part.needs.add(visit(target, folders.get(target) ?? need.name, optional || need.optional));
    }
    return id;
  };
  for (const [folder, name] of folders) visit(folder, name, false);
  return parts;
}
