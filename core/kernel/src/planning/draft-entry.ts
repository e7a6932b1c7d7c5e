import type { ClassId, InstanceId, ModuleSpec, SourceLocation, Token } from '@treadle/api';
import type { ModuleEntry, Validated } from '@treadle/config';
import type { RegisteredModule } from '../registry.js';
import type { DraftAdapter } from './slots.js';

/** A port that a module or one of its adapters is injected with. */
export interface Need {
  readonly token: Token<unknown>;
  readonly optional: boolean;
  /** Class that asks for it. */
  readonly by: ClassId;
  readonly at: SourceLocation;
}

/** A module entry after stages 5 to 7, not yet in its place. */
export interface DraftEntry {
  readonly instance: InstanceId;
  readonly found: RegisteredModule;
  readonly spec: ModuleSpec;
  readonly entry: ModuleEntry;
  readonly implicit: boolean;
  readonly validated: Validated;
  readonly config: Readonly<Record<string, unknown>>;
  readonly adapters: readonly DraftAdapter[];
  readonly needs: readonly Need[];
  /** Top-level keys of its config that were reported; `config` has their defaults, if any. Undefined: the config is in order. */
  readonly faulty?: readonly string[];
}

/** The entries as far as they can be checked further, and the ports that the others would provide: nobody shall miss those as well. */
export interface DraftedEntries {
  readonly drafts: readonly DraftEntry[];
  readonly promised: ReadonlySet<string>;
}
