import type { DeliveryConfig, StepId, StepRecord, StoredSubscription, SubscriptionKey, TriggerRecord } from '@treadle/api';
import type { ChangeSelector } from '../changes/change-selector.js';
import { selectorOf } from '../changes/change-trigger.js';
import { deliverySettings, type DeliverySettings } from './delivery-settings.js';
import { type QueueTrigger, queueTriggerIssues } from './queue-trigger.js';
import { type DeliveryKey, triggerTopic } from './trigger-topic.js';

/** One subscription as a Step's config asks for it. */
export interface WantedSubscription extends SubscriptionKey {
  readonly settings: DeliverySettings;
  /** What the handler does is committed with the acknowledgement. */
  readonly atomic: boolean;
  /** JSON Schema of the messages. */
  readonly input: object | boolean | undefined;
  /** Triggers that it serves: one of kind `queue` or of a plugin's kind, or all of kinds `state` and `stream`. */
  readonly triggers: readonly { readonly type: string; readonly index: number; readonly selector: ChangeSelector | undefined }[];
}

/** Identity of a subscription as a map's key. */
export function subscriptionId({ step, topic }: SubscriptionKey): string {
  return `${topic.length} ${topic} ${step}`;
}

/** What a Step subscribes to. A trigger that cannot be served is left out: it has a diagnostic. */
export function wantedSubscriptions({ id: step, config: { triggers, atomic = false }, role = 'step' }: StepRecord, keyOf: DeliveryKey): readonly WantedSubscription[] {
  if (role !== 'step') return [];
  const wanted = new Map<string, Wanted>();
  const changes: WantedSubscription['triggers'][number][] = [];
  triggers.forEach((trigger, index) => {
    const selector = selectorOf(trigger);
    if (selector) changes.push({ type: trigger.type, index, selector });
    const own = trigger.type === 'queue' ? queued(step, trigger as QueueTrigger, index) : keyed(step, trigger, index, keyOf);
    if (own && !wanted.has(own.topic)) wanted.set(own.topic, own);
  });
  if (changes.length > 0) wanted.set('', { step, topic: '', settings: deliverySettings(), input: undefined, triggers: changes });
  return [...wanted.values()].map((one) => ({ ...one, atomic }));
}

type Wanted = Omit<WantedSubscription, 'atomic'>;

function queued(step: StepId, trigger: QueueTrigger, index: number): Wanted | undefined {
  if (queueTriggerIssues(trigger).length > 0) return undefined;
  const { topic, input, config } = trigger;
  return { step, topic, settings: deliverySettings(config), input, triggers: [{ type: 'queue', index, selector: undefined }] };
}

function keyed(step: StepId, trigger: TriggerRecord, index: number, keyOf: DeliveryKey): Wanted | undefined {
  const { type, config } = trigger;
  const key = keyOf(trigger);
  if (key === undefined) return undefined;
  const settings = deliverySettings(config as DeliveryConfig | undefined);
  return { step, topic: triggerTopic(step, { type, key }), settings, input: undefined, triggers: [{ type, index, selector: undefined }] };
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
