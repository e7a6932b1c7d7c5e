import type { OperationError, QueueMessage } from '@treadle/api';
import { expect } from 'chai';
import { MessageIds } from './message-ids.js';
import { type Rig, startRig, stepRecord } from '../queue-rig.fixture.js';

describe('MessageIds', () => {
  it('sort in the order in which they were made, also when the clock goes back, and never meet', () => {
    const ids = new MessageIds();
    const times = [5, 5, 5, 6, 3, 3, 1_800_000_000_000, 2];
    const made = times.map((now) => ids.next(now));
    expect([...made].sort()).to.deep.equal(made);
    expect(new Set([...made, ...times.map((now) => new MessageIds().next(now))]).size).to.equal(2 * times.length);
    for (const id of made) expect(id).to.match(/^[0-9a-z]{26}$/);
  });
});

describe('enqueue', () => {
  let rig: Rig;
  before(async () => { rig = await startRig({ steps: [stepRecord('A', ['t'])], config: 'max_waiting: 3' }); });
  after(() => rig.test.stop());
  const refusal = (messages: unknown): Promise<string> => rig.port.enqueue(messages as QueueMessage[])
    .then(() => 'it was not refused', ({ code, message }: OperationError) => `${code}: ${message}`);
  const one = (message: object): Promise<string> => refusal([{ topic: 't', data: 1, ...message }]);

  const cases: readonly [string, object, string][] = [
    ['a bad topic', { topic: 'a b' }, 'QueueInvalidArgument: "a b" cannot be a topic: use 1 to 200 letters, digits, ".", "_", ":", "/" or "-"'],
    ['a topic that is no text', { topic: 7 }, 'QueueInvalidArgument: number cannot be a topic: use 1 to 200 letters, digits, ".", "_", ":", "/" or "-"'],
    ['delay and time together', { delayMs: 1, at: 5 }, 'QueueInvalidArgument: a message has delayMs or at, not both'],
    ['a negative delay', { delayMs: -1 }, 'QueueInvalidArgument: delayMs must be milliseconds from 0 to 3153600000000, got -1'],
    ['a time that is none', { at: 'tomorrow' },
      'QueueInvalidArgument: at must be an ISO 8601 time or milliseconds since 1970, at most 100 years ahead, got "tomorrow"'],
    ['a day that does not exist', { at: '2027-02-30T00:00:00Z' },
      'QueueInvalidArgument: at must be an ISO 8601 time or milliseconds since 1970, at most 100 years ahead, got "2027-02-30T00:00:00Z"'],
    ['a time in other words', { at: '30 Feb 2027' },
      'QueueInvalidArgument: at must be an ISO 8601 time or milliseconds since 1970, at most 100 years ahead, got "30 Feb 2027"'],
    ['an empty key', { dedupeKey: '' }, 'QueueInvalidArgument: dedupeKey must be text that is not empty, got ""'],
    ['a long group', { messageGroupId: 'x'.repeat(513) }, 'QueueInvalidArgument: messageGroupId has 513 bytes; at most 512 are allowed'],
    ['headers that are no texts', { headers: { a: 1 } }, 'QueueInvalidArgument: header "a" must be text, got number'],
    ['data that is no JSON', { data: { at: [NaN] } }, 'InvalidValue: the value is not JSON: NaN is no JSON number at at.0'],
    ['a misspelt option', { delay: 5 },
      'QueueInvalidArgument: a message has no "delay"; it has topic, data, delayMs, at, dedupeKey, messageGroupId, headers'],
    ['no data', { data: undefined }, 'InvalidValue: the value is not JSON: undefined'],
    ['data that is too large', { data: 'é'.repeat(500_000) }, 'InvalidValue: the data for topic "t" has 1000002 bytes as JSON; at most 1000000 are taken'],
    ['data of too many parts', { data: new Array(100_001).fill(1) },
      'InvalidValue: the data for topic "t" has more than 100000 members and elements; store it in several parts, or as text'],
  ];
  for (const [name, message, text] of cases) it(`refuses ${name}`, async () => { expect(await one(message)).to.equal(text); });

  it('takes days, times and zones of ISO 8601, also the last day of February', async () => {
    for (const at of ['2028-02-29', '2028-02-29T24:00:00Z', '2028-02-29 10:00', '2028-02-29T10:00:00.5+05:30']) await rig.send(`at${Date.parse(at)}`, 1, { at });
  });

  it('refuses what is no list of messages', async () => {
    expect(await refusal({})).to.equal('QueueInvalidArgument: enqueue takes a message or a list of messages');
    expect(await refusal([null])).to.equal('QueueInvalidArgument: a message is an object { topic, data }');
    expect(await refusal(new Array(10_001).fill({}))).to.equal('QueueInvalidArgument: a batch has at most 10000 messages, got 10001');
  });

  it('stores a batch as a whole or not at all, in its order', async () => {
    expect(await rig.port.enqueue([])).to.deep.equal([]);
    expect(await refusal([{ topic: 't', data: 1 }, { topic: 'a b', data: 2 }])).to.contain('QueueInvalidArgument');
    const ids = await rig.port.enqueue([{ topic: 't', data: 1 }, { topic: 't', data: new Date(0) as never }]);
    const { items } = await rig.admin('GET', '/messages', { query: { step: 'A', topic: 't' } }) as { items: { messageId: string; data: unknown }[] };
    expect(items.map(({ messageId }) => ({ messageId }))).to.deep.equal(ids);
    expect(items.map(({ data }) => data)).to.deep.equal([1, '1970-01-01T00:00:00.000Z']);
  });

  it('refuses more than may wait, naming the Step, and stores nothing of it', async () => {
    expect(await refusal([{ topic: 't', data: 1 }, { topic: 't', data: 2 }]))
      .to.equal('QueueFull: Step "A" would have more than 3 messages of topic "t" waiting, which is its limit; nothing was enqueued');
    expect((await rig.admin('GET', '/') as { items: object[] }).items[0]).to.include({ waiting: 2 });
  });

  it('gives the first id for a dedupeKey that was used before', async () => {
    const first = await rig.send('other', 1, { dedupeKey: 'k' });
    expect(await rig.send('other', 2, { dedupeKey: 'k' })).to.equal(first);
    expect(await rig.send('another', 2, { dedupeKey: 'k' })).to.not.equal(first);
  });

  it('warns once of a topic that nobody consumes, and shows what lies there', async () => {
    await rig.send('lost', 1);
    await rig.send('lost', 2);
    await rig.clock.advance(2_000);
    const warnings = rig.test.logs.filter(({ message, fields }) => message.includes('nobody consumes') && fields?.['topic'] === 'lost');
    expect(warnings).to.have.length(1);
    expect((await rig.admin('GET', '/') as { unrouted: object[] }).unrouted).to.deep.include({ topic: 'lost', count: 2, oldestAgeMs: 2_000 });
  });
});
