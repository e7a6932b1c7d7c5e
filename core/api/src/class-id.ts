/** Address of a class in YAML: `owner::block::Name` for a module, `owner::block::adapters::Name` for an adapter. */
export type ClassId = `${string}::${string}::${string}`;

/** A class id and its parts. */
export interface ParsedClassId {
  readonly id: ClassId;
  readonly owner: string;
  /** For an adapter: the slot it fits. */
  readonly block: string;
  readonly kind: 'module' | 'adapter';
  readonly name: string;
}

/** Owners that only packages of this repository may use. */
export const RESERVED_OWNERS: readonly string[] = ['modules', 'engine'];

const PATTERN = /^([a-z][a-z0-9_]{1,31})::([a-z][a-z0-9_]{1,31})::(adapters::)?([A-Z][A-Za-z0-9]{1,63})$/;

/** Splits a class ID into its parts, or returns undefined when the text is not one. */
export function parseClassId(text: string): ParsedClassId | undefined {
  const match = PATTERN.exec(text);
  if (!match) return undefined;
  const [, owner, block, adapters, name] = match as unknown as [string, string, string, string | undefined, string];
  return { id: text as ClassId, owner, block, kind: adapters ? 'adapter' : 'module', name };
}
