import { expect } from 'chai';
import { SchemaCheck } from '../schema-check.js';
import type { CheckJob, CheckVerdict } from './check-thread.js';
import { CheckThread } from './check-thread.js';

const numbers = new SchemaCheck({ type: 'array', items: { type: 'number' } }, 'body');

describe('CheckThread', () => {
  let thread: CheckThread;
  beforeEach(() => void (thread = new CheckThread()));
  afterEach(() => thread.close());

  const judged = (text: string, more: Partial<CheckJob> = {}): Promise<CheckVerdict> =>
    new Promise((done) => void thread.judge({ bytes: Buffer.from(text), as: 'json', check: numbers, ...more }, done));

  it('says of a value whether it fits', async () => {
    expect(await judged('[1,2]')).to.deep.equal({ refusal: undefined });
    const refusal = { valid: false, issues: [{ in: 'body', path: '1', message: 'must be number', code: 'invalid_type' }], exhausted: false };
    expect(await judged('[1,"x"]')).to.deep.equal({ refusal });
    expect(await judged('"x"', { check: undefined })).to.deep.equal({ refusal: undefined });
  });

  it('refuses what is no JSON that one may have', async () => {
    expect(await judged('[1')).to.deep.equal({ fault: 'The body is not valid JSON' });
    expect(await judged('{"__proto__":1}', { check: undefined })).to.deep.equal({ fault: 'Refused: the body has a key "__proto__"' });
    expect(await judged('', { bytes: Buffer.from([0x22, 0xff, 0x22]) })).to.deep.equal({ fault: 'The body is not valid UTF-8' });
  });

  it('says what a value is about when it is asked to', async () => {
    const change = { group: 'g', key: 'k', oldValue: null, newValue: ['x'.repeat(100_000)] };
    expect(await judged(JSON.stringify(change), { as: 'trusted-json', check: undefined, outline: true })).to.deep.equal({ refusal: undefined, outline: { group: 'g', key: 'k', oldValue: null } });
  });

  it('takes text as it is, and our own JSON with any key', async () => {
    const check = new SchemaCheck({ const: '[1' }, 'body');
    expect(await judged('[1', { as: 'text', check })).to.deep.equal({ refusal: undefined });
    expect(await judged('{"__proto__":1}', { as: 'trusted-json', check: undefined })).to.deep.equal({ refusal: undefined });
  });

  it('takes text instead of bytes', async () => {
    const check = new SchemaCheck({ const: 'é😀' }, 'body');
    expect(await judged('', { bytes: '"é😀"', check })).to.deep.equal({ refusal: undefined });
    expect(await judged('', { bytes: `"${'é'.repeat(1_000_000)}"`, check })).to.have.nested.property('refusal.valid', false);
  });

  it('judges in order, and leaves the bytes with their owner', async () => {
    const order: string[] = [];
    const bytes = Buffer.from('[1]');
    await Promise.all(['[1]', '["x"]', '[2]'].map(async (text) => {
      await judged(text, text === '[1]' ? { bytes } : {});
      order.push(text);
    }));
    expect(order).to.deep.equal(['[1]', '["x"]', '[2]']);
    expect(bytes.toString()).to.equal('[1]');
  });

  it('is silent about what was given up', async () => {
    const told: string[] = [];
    const giveUp = ['[1]', '[2]'].map((text) => thread.judge({ bytes: Buffer.from(text), as: 'json', check: numbers }, () => told.push(text)));
    for (const each of giveUp) each();
    await judged('[3]');
    expect(told).to.deep.equal([]);
  });

  it('knows the schemas again after its thread has ended', async () => {
    await judged('[1]');
    await thread.close();
    expect(await judged('["x"]')).to.have.nested.property('refusal.valid', false);
  });

  it('makes room for a value that is larger than those before', async () => {
    await judged('[1]');
    expect(await judged(`["${'x'.repeat(3_000_000)}"]`)).to.have.nested.property('refusal.valid', false);
    expect(await judged('[1]')).to.deep.equal({ refusal: undefined });
  });

  it('holds each of very many values to its own schema', async () => {
    const checks = Array.from({ length: 600 }, (_, index) => new SchemaCheck({ const: index }, 'body'));
    for (const check of [...checks, ...checks.slice(0, 50)]) {
      const index = checks.indexOf(check);
      expect(await judged(String(index), { check })).to.deep.equal({ refusal: undefined });
      if (index % 50 === 0) expect(await judged(String(index + 1), { check })).to.have.nested.property('refusal.valid', false);
    }
  });

  it('answers when the system has no thread to give, and goes on once it has', async () => {
    let hasThreads = false;
    thread = new CheckThread(() => {
      if (!hasThreads) throw new Error('EAGAIN');
      return {};
    });
    expect(await judged('["x"]')).to.have.property('error').that.includes('EAGAIN');
    hasThreads = true;
    expect(await judged('["x"]')).to.have.nested.property('refusal.valid', false);
  });

  it('lets no value pass whose schema the thread could not read at first', async () => {
    let isReadable = false;
    const check = { source: () => (isReadable ? numbers.source() : { schema: '{"type":7}', place: 'body' }) } as unknown as SchemaCheck;
    await judged('[1]', { check: undefined });
    expect(await judged('["x"]', { check })).to.have.property('error');
    expect(await judged('["x"]', { check })).to.have.property('error');
    isReadable = true;
    expect(await judged('["x"]', { check })).to.have.nested.property('refusal.valid', false);
    expect(await judged('["x"]')).to.have.nested.property('refusal.valid', false);
  });

  it('goes on after a fault of its own, and after a value that was too large for its memory', async () => {
    expect(await judged('[1', { as: 'trusted-json' })).to.deep.equal({ fault: 'it is not valid JSON' });
    const unreadable = { source: () => ({ schema: '{"type":7}', place: 'body' }) } as unknown as SchemaCheck;
    expect(await judged('[1]', { check: unreadable })).to.have.property('error').that.includes('type');
    await thread.close();
    thread = new CheckThread(() => ({ maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 1 }));
    expect(await judged(`[${'{},'.repeat(800_000)}1]`)).to.deep.equal({ tooLarge: true });
    expect(await judged('["x"]')).to.have.nested.property('refusal.valid', false);
  });
});
