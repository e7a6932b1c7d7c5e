import type { StepId, TriggerKindSpec, TriggerRecord } from '@treadle/api';

/** Longest key, in UTF-16 code units. */
const MAX_KEY_LENGTH = 500;

/** The topic of deliveries to one trigger of a plugin's kind: no name that a Step may enqueue to, since those hold no blank. */
export function triggerTopic(step: StepId, { type, key }: { readonly type: string; readonly key: string }): string {
  return `${type} ${encodeURIComponent(step)} ${key}`;
}

/** The key by which the queue delivers to a trigger of a plugin's kind; undefined when it does not. */
export type DeliveryKey = (trigger: TriggerRecord) => string | undefined;

/** `kinds`: those that the loaded modules declare now. */
export function deliveryKeys(kinds: () => readonly TriggerKindSpec[]): DeliveryKey {
  return (trigger) => {
    try {
      const key: unknown = kinds().find(({ type }) => type === trigger.type)?.deliveryKey?.(trigger);
      return typeof key === 'string' && key !== '' && key.length <= MAX_KEY_LENGTH ? key : undefined;
    } catch {
      // A trigger whose keys do not fit: it has a diagnostic.
      return undefined;
    }
  };
}
