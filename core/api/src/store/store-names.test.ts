import { expect } from 'chai';
import { BESIDE_STORE, storesAmong } from './store-names.js';

describe('the stores of a folder', () => {
  it('are its databases, each once, whatever lies beside them', () => {
    expect(storesAmong(['kv.db', 'a.db', ...Object.values(BESIDE_STORE).map((end) => `a.db${end}`), 'engine.json'])).to.deep.equal(['a.db', 'kv.db']);
  });

  it('are also those whose database is gone, by what tells that it held something', () => {
    expect(storesAmong(['a.db-wal', 'b.db.mark', 'c.db.pid', 'd.sqlite-wal'])).to.deep.equal(['a.db', 'b.db', 'c.db', 'd.sqlite']);
  });

  it('are none where only a lock, an index or the pid of another program is left', () => {
    expect(storesAmong(['a.db.lock', 'a.db-shm', 'nginx.pid', 'a.db-wal.replaced'])).to.deep.equal([]);
  });
});
