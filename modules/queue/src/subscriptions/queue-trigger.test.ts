import type { TriggerKindSpec, TriggerRecord } from '@treadle/api';
import { expect } from 'chai';
import { STATE_TRIGGER_KIND, STREAM_TRIGGER_KIND } from '../changes/change-trigger.js';
import { QUEUE_TRIGGER_KIND } from './queue-trigger.js';

const issues = (kind: TriggerKindSpec, trigger: object): readonly string[] =>
  (kind.validate?.({ type: kind.type, ...trigger } as TriggerRecord) ?? []).map(({ key, code, message }) => `${key} ${code}: ${message}`);

describe('the trigger kinds of the queue', () => {
  it('are known by their labels', () => {
    const label = ({ label: of }: TriggerKindSpec, trigger: object): string | undefined => of?.(trigger as TriggerRecord);
    expect(label(QUEUE_TRIGGER_KIND, { topic: 'a.b' })).to.equal('queue a.b');
    expect(label(STATE_TRIGGER_KIND, {})).to.equal('state * *');
    expect(label(STATE_TRIGGER_KIND, { group: 'g', prefix: 'p' })).to.equal('state g p*');
    expect(label(STREAM_TRIGGER_KIND, { streamName: 's', id: 'i' })).to.equal('stream s * i');
  });

  it('accept what the specification names', () => {
    const config = {
      type: 'fifo', maxAttempts: 3, backoff: { type: 'fixed', delayMs: 5, factor: 2, maxMs: 10, jitter: 0 }, concurrency: 2, timeoutMs: 1_000,
      delaySeconds: 1, rateLimit: { max: 1, perMs: 10 },
    };
    expect(issues(QUEUE_TRIGGER_KIND, { topic: 'A-z_0.9', input: { type: 'object' }, config })).to.deep.equal([]);
    expect(issues(QUEUE_TRIGGER_KIND, { topic: 't', config: { maxRetries: 2, backoffType: 'fixed', backoffDelayMs: 1, visibilityTimeout: 30 } })).to.deep.equal([]);
  });

  it('name what cannot be', () => {
    expect(issues(QUEUE_TRIGGER_KIND, { topic: 'a b' })).to.deep.equal(['topic STEP_BAD_TOPIC: "a b" cannot be a topic']);
    expect(issues(QUEUE_TRIGGER_KIND, { topic: 't', input: { type: 'nonsense' } })[0]).to.match(/^input STEP_BAD_SCHEMA: input cannot be used: /);
    expect(issues(QUEUE_TRIGGER_KIND, { topic: 't', config: { maxRetries: 1, maxAttempts: 2, timeoutMs: 100, visibilityTimeout: 1 } })).to.deep.equal([
      'config.maxRetries STEP_BAD_VALUE: maxRetries says the same as maxAttempts, which is written too',
      'config.visibilityTimeout STEP_BAD_VALUE: visibilityTimeout says the same as timeoutMs, which is written too',
    ]);
    expect(issues(STATE_TRIGGER_KIND, { key: 'k', prefix: 'p' })).to.deep.equal(['prefix STEP_BAD_VALUE: prefix has no meaning beside key, which names one key']);
  });
});
