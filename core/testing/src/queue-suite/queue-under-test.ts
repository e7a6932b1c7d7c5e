import type {
  DeadLetter, DeadLetterSelection, DeliveryProgress, EnqueueOutcome, NewMessage, QueueAdapter, QueueCapabilities, QueueDelivery, QueueLack,
  StoredSubscription, SubscriptionKey, SubscriptionStatistics,
} from '@treadle/api';
import { expect } from 'chai';
import type { VariantTests } from '../suite/adapter-suite.js';
import { AdapterUnderTest } from '../suite/adapter-under-test.js';
import { allPages } from '../suite/all-pages.js';

/** What a group of tests is registered with. */
export type QueueTests = VariantTests<QueueUnderTest, QueueCapabilities>;

/** Longer than any test. */
export const LEASE_MS = 60_000;
/** Progress of a delivery that nobody has tried. */
export const FRESH: DeliveryProgress = { attempts: 0, deaths: 0, history: '' };
/** A traceparent as modules write it. */
export const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const MOST = 1_000_000;

/** What an enqueued message is made from; the rest has ordinary values. */
export type MessageDraft = Partial<NewMessage> & { readonly topic?: string };

/** A started adapter with what tests do to it. */
export class QueueUnderTest extends AdapterUnderTest<QueueAdapter, QueueCapabilities> {
  /** What `onDue` told, as `step/topic`. */
  readonly woken: string[] = [];
  private messages = 0;

  override async start(): Promise<void> {
    await super.start();
    this.adapter.onDue(({ step, topic }) => this.woken.push(`${step}/${topic}`));
    await this.clock.advance(0);
    this.woken.length = 0;
  }

  /** Names of Steps; each subscribes to the topic. */
  async subscribe(topic: string, ...steps: readonly string[]): Promise<void> {
    await this.put(...steps.map((step) => subscriptionOf(step, topic)));
  }

  async put(...subscriptions: readonly StoredSubscription[]): Promise<void> {
    await this.adapter.changeSubscriptions(subscriptions.flatMap(({ paused, ...subscription }) => [
      { action: 'put', subscription }, { action: 'pause', key: subscription, paused },
    ]));
  }

  async retire(...keys: readonly SubscriptionKey[]): Promise<void> {
    await this.adapter.changeSubscriptions(keys.map((key) => ({ action: 'retire', key, afterMs: 0 })));
  }

  /** A message for topic `t` with the next id. */
  message(draft: MessageDraft = {}): NewMessage {
    this.messages += 1;
    const id = `m${String(this.messages).padStart(6, '0')}`;
    return { id, topic: draft.to === undefined ? 't' : '', kind: 'queue', data: '{}', traceparent: TRACE, hops: 0, enqueuedAt: this.clock.now(), ...draft };
  }

  /** One batch per draft. Gives the ids. */
  async enqueue(...drafts: readonly MessageDraft[]): Promise<string[]> {
    const outcomes = await this.adapter.enqueueMany(drafts.map((draft) => [this.message(draft)]), { maxWaiting: MOST });
    return outcomes.map((outcome) => (outcome.ok ? outcome.ids[0] ?? '' : `full ${outcome.full.step}`));
  }

  /** One batch. */
  async enqueueBatch(drafts: readonly MessageDraft[], maxWaiting: number = MOST): Promise<EnqueueOutcome | undefined> {
    return (await this.adapter.enqueueMany([drafts.map((draft) => this.message(draft))], { maxWaiting }))[0];
  }

  async claim(step: string, max = 100, topic = 't'): Promise<readonly QueueDelivery[]> {
    return this.adapter.claimMany([{ step, topic, max }], LEASE_MS);
  }

  /** Ids of the messages that can be claimed. */
  async claimIds(step: string, max = 100, topic = 't'): Promise<string[]> {
    return (await this.claim(step, max, topic)).map(({ messageId }) => messageId);
  }

  async done(...claims: readonly QueueDelivery[]): Promise<readonly boolean[]> {
    return this.adapter.settleMany(claims.map((claim) => ({ action: 'done', claim })));
  }

  async giveBack(claim: QueueDelivery, dueAt?: number, progress: DeliveryProgress = claim.progress): Promise<boolean | undefined> {
    return (await this.adapter.settleMany([{ action: 'return', claim, progress, dueAt }]))[0];
  }

  /** Makes dead letters of them with reason `max_attempts`. */
  async kill(...claims: readonly QueueDelivery[]): Promise<readonly boolean[]> {
    const at = this.clock.now();
    return this.adapter.settleMany(claims.map((claim) => ({
      action: 'dead', claim, reason: 'max_attempts', at, progress: { attempts: 10, deaths: 0, history: '["no"]' },
    })));
  }

  async statisticsOf(step: string, topic = 't'): Promise<SubscriptionStatistics | undefined> {
    return (await this.adapter.statistics()).find((one) => one.step === step && one.topic === topic);
  }

  /** All pages, newest first; throws when a page is too long or the cursors do not end. */
  letters(selection: DeadLetterSelection = {}, limit = 100): Promise<DeadLetter[]> {
    return allPages(limit, (paging) => this.adapter.deadLetters(selection, paging));
  }

  /** What was told since the last time, each once, after everything under way has had its turn. */
  async told(): Promise<string[]> {
    await this.clock.advance(0);
    return [...new Set(this.woken.splice(0))].sort();
  }
}

export function subscriptionOf(step: string, topic: string, more: Partial<StoredSubscription> = {}): StoredSubscription {
  return { step, topic, application: 'app', fifo: false, delayMs: 0, paused: false, settings: '{"n":1}', ...more };
}

/** A message that is due later, where the adapter has delays; else one that is due at once. */
export function dueLater({ delayed }: Pick<QueueCapabilities, 'delayed'>, dueAt: number): MessageDraft {
  return delayed ? { dueAt } : {};
}

/** Of a subscription what an adapter has: without delays or order it is not asked for them. */
export function asDeclared({ delayed, ordering }: Pick<QueueCapabilities, 'delayed' | 'ordering'>, { fifo = false, delayMs = 0 }: Partial<StoredSubscription>): Pick<StoredSubscription, 'fifo' | 'delayMs'> {
  return { fifo: fifo && ordering === 'per_key', delayMs: delayed ? delayMs : 0 };
}

/** Whether an adapter has all promises but some; what it lacks is not asked of it. */
export function keeps({ lacks = [] }: Pick<QueueCapabilities, 'lacks'>, promise: QueueLack): boolean {
  return !lacks.includes(promise);
}

/** Both alike; where an adapter does not keep places, in any order. */
export function inPlace<T>(declared: Pick<QueueCapabilities, 'lacks'>, found: readonly T[], expected: readonly T[]): void {
  if (keeps(declared, 'places')) expect(found).to.deep.equal(expected);
  else expect(found).to.have.deep.members([...expected]);
}

/** A delivery that must be there. */
export function held<T>(delivery: T | undefined): T {
  if (delivery === undefined) throw new Error('there was nothing to claim');
  return delivery;
}

/** Names that stores have mixed up or could not keep. */
export const HOSTILE_NAMES: readonly string[] = [
  '__proto__', 'constructor', 'a b', 'a\u0000b', 'a\u0001b', '😀', '\ud83d', "'\";--", '\\', '%', '_', 'a:b', '["a","b"]', 'é', '\uffff', 'x'.repeat(500),
];
