import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { freshFolder } from '../testing/store.fixture.js';
import { diskRoom } from './disk-room.js';

describe('diskRoom', () => {
  it('is short when what is free would not do for what is pending', () => {
    const folder = freshFolder();
    const { bavail, bsize } = statfsSync(folder);
    expect(diskRoom(join(folder, 'a.db')).isShort(bavail * bsize)).to.equal(true);
  });

  it('is never short in memory or where nobody can say', () => {
    expect(diskRoom(':memory:').isShort(Infinity)).to.equal(false);
    expect(diskRoom('/no/such/folder/a.db').isShort(0)).to.equal(false);
  });
});
