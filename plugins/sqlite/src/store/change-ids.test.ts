import { expect } from 'chai';
import { ChangeIds } from './change-ids.js';

describe('ChangeIds', () => {
  it('never come again, not even in a copy of the file that is put back and started as often', () => {
    const identity = { id: 'file', starts: 3 };
    const [before, after] = [new ChangeIds(identity), new ChangeIds(identity)];
    const ids = [before.next(), before.next(), after.next(), after.next(), new ChangeIds(identity, 'S').next()];
    expect(new Set(ids).size).to.equal(ids.length);
  });
});
