import { WrittenJson } from '@treadle/api';
import { type CheckJob, type CheckVerdict, SchemaCheck } from '@treadle/json';
import { expect } from 'chai';
import type { StreamDeclaration } from './declarations.js';
import { ItemCheck } from './item-check.js';

const LARGE = new WrittenJson(JSON.stringify('x'.repeat(70_000)));
const SMALL = new WrittenJson('"x"');

function declared(schema: SchemaCheck | undefined): StreamDeclaration {
  return { name: 's', schema, exact: true } as StreamDeclaration;
}

describe('the check of items', () => {
  let asked: { readonly job: CheckJob; readonly done: (verdict: CheckVerdict) => void }[];
  let check: ItemCheck;
  beforeEach(() => {
    asked = [];
    check = new ItemCheck({ judge: (job, done) => { asked.push({ job, done }); return () => undefined; } });
  });

  it('of small ones is made at once, and none where there is no schema', () => {
    expect(check.check(declared(new SchemaCheck({ type: 'string' }, 'item')), SMALL)).to.equal(false);
    expect(check.check(declared(undefined), LARGE)).to.equal(false);
    expect(() => check.check(declared(new SchemaCheck({ type: 'number' }, 'item')), SMALL)).to.throw('must be number').with.property('code', 'InvalidItem');
    expect(asked).to.deep.equal([]);
  });

  it('of large ones is made elsewhere', async () => {
    const schema = new SchemaCheck({ type: 'string' }, 'item');
    schema.check = schema.refuse = () => { throw new Error('checked on the event loop'); };
    const verdict = check.check(declared(schema), LARGE);
    await Promise.resolve();
    expect(asked.map(({ job }) => [job.bytes === LARGE.text, job.as, job.check === schema])).to.deep.equal([[true, 'trusted-json', true]]);
    asked[0]?.done({ refusal: undefined });
    expect(await verdict).to.equal(false);
  });

  it('lets nothing overtake a large item', async () => {
    const declaration = declared(new SchemaCheck({ type: 'string' }, 'item'));
    const order: string[] = [];
    const first = Promise.resolve(check.check(declaration, LARGE)).catch(({ code }: { code: string }) => code).then((end) => order.push(`large ${end}`));
    const second = Promise.resolve(check.check(declaration, SMALL)).then((end) => order.push(`small ${end}`));
    await Promise.resolve();
    expect(asked).to.have.length(1);
    asked[0]?.done({ refusal: { valid: false, issues: [{ in: 'item', path: '', message: 'must be number', code: 'x' }], exhausted: false } });
    await first;
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    asked[1]?.done({ refusal: undefined });
    await second;
    expect(order).to.deep.equal(['large InvalidItem', 'small false']);
  });

  it('says so when it could not be made', async () => {
    const verdict = Promise.resolve(check.check(declared(new SchemaCheck({ type: 'string' }, 'item')), LARGE)).catch(({ code }: { code: string }) => code);
    await Promise.resolve();
    asked[0]?.done({ error: 'the thread has gone' });
    expect(await verdict).to.equal('StreamUnavailable');
  });
});
