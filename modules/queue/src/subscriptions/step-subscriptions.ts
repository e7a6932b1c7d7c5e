import type { StepRecord, StoredSubscription, SubscriptionKey } from '@treadle/api';
import type { ChangeSelector } from '../changes/change-selector.js';
import { selectorOf } from '../changes/change-trigger.js';
import { deliverySettings, type DeliverySettings } from './delivery-settings.js';
import { type QueueTrigger, queueTriggerIssues } from './queue-trigger.js';

/** One subscription as a Step's config asks for it. */
export interface WantedSubscription extends SubscriptionKey {
  readonly settings: DeliverySettings;
  /** JSON Schema of the messages. */
  readonly input: object | boolean | undefined;
  /** Triggers that it serves: one of kind `queue`, or all of kinds `state` and `stream`. */
  readonly triggers: readonly { readonly index: number; readonly selector: ChangeSelector | undefined }[];
}

/** Identity of a subscription as a map's key; topics hold no blank. */
export function subscriptionId({ step, topic }: SubscriptionKey): string {
  return `${topic} ${step}`;
}

/** What a Step subscribes to. A trigger that cannot be served is left out: it has a diagnostic. */
export function wantedSubscriptions({ id: step, config: { triggers }, role = 'step' }: StepRecord): readonly WantedSubscription[] {
  if (role !== 'step') return [];
  const wanted = new Map<string, WantedSubscription>();
  const changes: { index: number; selector: ChangeSelector }[] = [];
  triggers.forEach((trigger, index) => {
    const selector = selectorOf(trigger);
    if (selector) changes.push({ index, selector });
    if (trigger.type !== 'queue') return;
    const queue = trigger as QueueTrigger;
    const { topic, input, config } = queue;
    if (queueTriggerIssues(queue).length > 0 || wanted.has(topic)) return;
    wanted.set(topic, { step, topic, settings: deliverySettings(config), input, triggers: [{ index, selector }] });
  });
  if (changes.length > 0) wanted.set('', { step, topic: '', settings: deliverySettings(), input: undefined, triggers: changes });
  return [...wanted.values()];
}

/** The form that the store keeps. */
export function storedForm({ step, topic, settings, triggers }: WantedSubscription, application: string): StoredSubscription {
  const { fifo, delayMs } = settings;
  const selectors = triggers.map(({ selector }) => selector).filter((selector) => selector !== undefined);
  return { step, topic, application, fifo, delayMs, paused: false, settings: JSON.stringify({ selectors }) };
}

/** What the triggers of a stored subscription select; also of a Step that is broken at the moment. */
export function storedSelectors({ settings }: StoredSubscription): readonly ChangeSelector[] {
  return (JSON.parse(settings) as { readonly selectors?: readonly ChangeSelector[] }).selectors ?? [];
}
