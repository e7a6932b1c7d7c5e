import type { Json } from '@treadle/api';
import type { ModuleTarget } from '../module-target.js';

/** A module that serves a trigger kind, and a place where its events come from. */
export interface TriggerTarget extends Pick<ModuleTarget, 'module' | 'plugins' | 'tune' | 'secrets' | 'skip'> {
  /** Type of the kind, e.g. `acme.mqtt`. */
  readonly type: string;
  /** The source gives again what nobody acknowledged, also to an engine that was away. Then the suite tests that nothing is lost. */
  readonly keeps: boolean;
  /** Opens a fresh, isolated source: an own broker, topic or folder. Called for each test. */
  readonly source: () => Promise<TriggerSource>;
}

/** Keys of a trigger, without its `type`. */
export type TriggerKeys = Readonly<Record<string, Json>>;

/** Which of the two triggers of a source. */
export type Which = 0 | 1;

/** Where events come from, e.g. a broker. */
export interface TriggerSource {
  /** Settings of the module, with which it hears this source. */
  readonly config: Readonly<Record<string, Json>>;
  /** Two triggers without their `type`: no event is for both. */
  readonly triggers: readonly [TriggerKeys, TriggerKeys];
  /** Lets an event happen that one of the two wants, and that carries the text; resolves when the source has it. */
  send(trigger: Which, text: string): Promise<void>;
  /** First argument of the handlers for that event. */
  input(trigger: Which, text: string): Json;
  close(): Promise<void>;
}
