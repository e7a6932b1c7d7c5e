import type { GuardFacts } from '@treadle/protocol';

/** Name of a Step; unique in an engine. */
export type StepId = string;

/** A trigger as plain JSON: schemas are JSON Schema, functions have become `true` or a count. */
export interface TriggerRecord {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A Step's config as plain JSON, as its worker registered it or the lock file holds it. */
export interface StepConfigRecord {
  readonly name: string;
  readonly description?: string;
  readonly triggers: readonly TriggerRecord[];
  /** Topic names. */
  readonly enqueues?: readonly string[];
  readonly flows?: readonly string[];
  readonly virtualEnqueues?: readonly string[];
  readonly virtualSubscribes?: readonly string[];
  /** What the handler enqueues and writes is committed with the acknowledgement, or not at all. */
  readonly atomic?: boolean;
}

/** An entry of the catalog. */
export interface StepRecord {
  readonly id: StepId;
  readonly config: StepConfigRecord;
  /** Relative to the application's root, with `/`. */
  readonly file: string;
  readonly line?: number;
  readonly language: 'typescript' | 'javascript' | 'python';
  /** Changes whenever the config changes; bindings are renewed only then. */
  readonly configHash: string;
  /** `stream` and `stream-auth`: a declaration whose functions are called like handlers. Default: `step`. */
  readonly role?: 'step' | 'stream' | 'stream-auth' | undefined;
  /** By the index of a trigger: files of middleware that hold for its route, the outermost first; absent: none for any. */
  readonly middleware?: readonly (readonly string[])[] | undefined;
  /** By the index of a trigger: the guards in front of it, those of files first; absent: none that says so. */
  readonly guards?: readonly (readonly GuardFacts[])[] | undefined;
  /** Application that it belongs to; absent: that of the engine. */
  readonly application?: string | undefined;
}

/** Which of a Step's triggers fired. */
export interface TriggerRef {
  readonly type: string;
  /** Index in `config.triggers`. */
  readonly index: number;
}

/** How one catalog differs from the one before. */
export interface CatalogChange {
  readonly added: readonly StepRecord[];
  readonly removed: readonly StepRecord[];
  readonly changed: readonly StepRecord[];
}
