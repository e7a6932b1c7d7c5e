import { join } from 'node:path';
import { expect } from 'chai';
import type { LockedFiles } from '../disk/store-files.js';
import { DRIVERS, errorOf, freshFolder } from '../testing/store.fixture.js';
import { ThreadCommitter } from './thread-committer.js';

const program = (source: string): URL => new URL(`data:text/javascript,${encodeURIComponent(source)}`);

describe('A committer in a thread', () => {
  const [driver] = DRIVERS;
  // None of the programs reads them.
  const locked = {} as LockedFiles;
  const programs = {
    'ends before it is ready': ['process.exit(3);', /^database ".*a\.db" .*: the writer thread ended with code 3 before it was ready/],
    'has nothing to do': ['', /the writer thread ended with code 0 before it was ready/],
    'fails': ['throw new Error("no such module");', /no such module/],
  } as const;
  for (const [name, [source, message]] of Object.entries(programs)) {
    it(`does not start, and says why, when its thread ${name}`, async () => {
      const error = await errorOf(() => ThreadCommitter.start({ driver: driver?.name ?? 'libsql', file: join(freshFolder(), 'a.db'), durability: 'full', locked }, program(source)));
      expect(error.code).to.equal('STORE_UNUSABLE');
      expect(error.message).to.match(message);
    });
  }
});
