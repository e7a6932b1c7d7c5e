import type { ClassId, ConfigSchema, SlotUse } from '@treadle/api';

/** A class as the schema of the whole file needs it. */
export interface SchemaClass {
  readonly id: ClassId;
  readonly aliases: readonly ClassId[];
  readonly kind: 'module' | 'adapter';
  /** For an adapter: the slot it fits. */
  readonly slot?: string;
  readonly summary: string;
  readonly schema: ConfigSchema;
  readonly slots?: Readonly<Record<string, SlotUse>>;
  /** Name of the package that provides it. */
  readonly package: string;
}
