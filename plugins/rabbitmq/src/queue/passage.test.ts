import { errorOf } from '@treadle/testing';
import { expect } from 'chai';
import { Passage } from './passage.js';

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a passage', () => {
  it('lets calls go on in their order, whichever has what it waits for first', async () => {
    const passage = new Passage();
    const passed: number[] = [];
    await Promise.all([30, 1, 0, 15, 0].map((ms, index) => passage.run(after(ms), async () => {
      await after(index === 1 ? 10 : 0);
      passed.push(index);
    })));
    expect(passed).to.deep.equal([0, 1, 2, 3, 4]);
  });

  it('does not have them wait for what goes on by itself', async () => {
    const passage = new Passage();
    const never = new Promise<never>(() => undefined);
    const results = await Promise.all([1, 2].map((number) => passage.run(after(1), () => ({ number, never }))));
    expect(results.map(({ number }) => number)).to.deep.equal([1, 2]);
  });

  it('lets the others go on when one fails', async () => {
    const passage = new Passage();
    const failed = [errorOf(passage.run(Promise.reject(new Error('not there')), () => 1)), errorOf(passage.run(after(0), () => { throw new Error('as planned'); }))];
    expect(await passage.run(Promise.resolve('there'), (ready) => ready)).to.equal('there');
    expect((await Promise.all(failed)).map((error) => error?.message)).to.deep.equal(['not there', 'as planned']);
  });
});
