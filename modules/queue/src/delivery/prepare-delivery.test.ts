import type { QueueDelivery, TriggerRef } from '@treadle/api';
import { type CheckJob, type CheckVerdict, SchemaCheck } from '@treadle/json';
import { expect } from 'chai';
import { type Rig, startRig, stepRecord } from '../queue-rig.fixture.js';
import type { Consumer } from './consumer.js';
import { isLarge, LargeDeliveries } from './prepare-delivery.js';

const TEXT = JSON.stringify('x'.repeat(70_000));
const TRIGGER: TriggerRef = { type: 'queue', index: 0 };

/** A check that must not run on the event loop. */
class Elsewhere extends SchemaCheck {
  override refuse(): never {
    throw new Error('checked on the event loop');
  }
}

/** What becomes of a delivery about whose data the thread says this. */
function preparedAfter(verdict: CheckVerdict, check?: SchemaCheck): unknown {
  const jobs: CheckJob[] = [];
  const thread = { judge: (job: CheckJob, done: (verdict: CheckVerdict) => void) => { jobs.push(job); done(verdict); return () => undefined; } };
  const consumer = { check, triggerOf: () => TRIGGER } as unknown as Consumer;
  const delivery = { kind: 'queue', data: TEXT, hops: 0, progress: { attempts: 0, deaths: 0, history: '[]' } } as unknown as QueueDelivery;
  let prepared: unknown;
  new LargeDeliveries(() => 5, thread).prepare({ consumer, delivery, began: 0 }, (given) => { prepared = given; });
  expect(jobs.map(({ bytes, as }) => [bytes === TEXT, as])).to.deep.equal([[true, 'trusted-json']]);
  return prepared;
}

describe('large deliveries', () => {
  let rig: Rig | undefined;
  afterEach(async () => { await rig?.test.stop(); });

  it('are those that the event loop had better not read', () => {
    expect([TEXT, '"x"'].map((data) => isLarge({ data }))).to.deep.equal([true, false]);
  });

  it('are read and checked elsewhere, and their value is there for those who ask', () => {
    const prepared = preparedAfter({ refusal: undefined }, new Elsewhere({ type: 'string' }, 'input')) as { trigger: unknown; message: { input: unknown } };
    expect([prepared.trigger, prepared.message.input === JSON.parse(TEXT)]).to.deep.equal([TRIGGER, true]);
  });

  it('go to the trigger that wants them by what the thread says of them, and are not read', () => {
    const outline = { group: 'g', key: 'k' };
    const asked: unknown[] = [];
    const consumer = { check: undefined, triggerOf: (kind: string, message: { outline: unknown }) => { asked.push([kind, message.outline]); return TRIGGER; } } as unknown as Consumer;
    const thread = { judge: (_: CheckJob, done: (verdict: CheckVerdict) => void) => { done({ refusal: undefined, outline }); return () => undefined; } };
    const delivery = { kind: 'state', data: 'no JSON', hops: 0, progress: { attempts: 0, deaths: 0, history: '[]' } } as unknown as QueueDelivery;
    new LargeDeliveries(() => 5, thread).prepare({ consumer, delivery, began: 0 }, () => undefined);
    expect(asked).to.deep.equal([['state', outline]]);
  });

  for (const [what, verdict, text] of [
    ['do not fit', { refusal: { valid: false, issues: [{ in: 'input', path: 'a', message: 'must be string', code: 'x' }], exhausted: false } }, 'the message fails its schema: a: must be string'],
    ['are no JSON', { fault: 'it is not valid JSON' }, 'the stored message is no JSON: it is not valid JSON'],
    ['need too much memory', { tooLarge: true }, 'the message takes more memory than its check may have'],
  ] as const) {
    it(`become dead letters when they ${what}`, () => {
      const { settlement, refusal } = preparedAfter(verdict as CheckVerdict) as { settlement: object; refusal: Error };
      expect(settlement).to.include({ action: 'dead', reason: 'invalid_input' });
      expect(refusal.message).to.equal(text);
    });
  }

  it('are delivered all the same when the thread fails', () => {
    expect(preparedAfter({ error: 'out of luck' }, new SchemaCheck({ type: 'string' }, 'input'))).to.deep.include({ trigger: TRIGGER });
  });

  it('reach their handler, or become dead letters, and free their slot', async () => {
    const lengths: number[] = [];
    const trigger = { type: 'queue', topic: 't', input: { type: 'object', properties: { text: { type: 'string' } } }, config: { concurrency: 1 } };
    const handlers = { a: (input: unknown): void => void lengths.push((input as { text: string }).text.length) };
    const started = rig = await startRig({ steps: [stepRecord('a', [trigger])], handlers });
    const padding = 'x'.repeat(70_000);
    for (const text of [padding, 7, `${padding}x`]) await started.send('t', { text, padding });
    for (let tries = 0; lengths.length < 2 && tries < 3_000; tries++) {
      await new Promise((resolve) => void setTimeout(resolve, 10));
      await started.clock.advance(0);
    }
    expect(lengths).to.deep.equal([70_000, 70_001]);
    const { items } = await started.admin('GET', '/dead-letters') as { items: readonly { readonly reason: string }[] };
    expect(items.map(({ reason }) => reason)).to.deep.equal(['invalid_input']);
  });
});
