import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AdminError, AdminRequest, AdminRoutes } from '@treadle/api';
import { expect } from 'chai';
import { DRIVERS, freshFolder, surroundings } from '../testing/store.fixture.js';
import { openStore } from './open-store.js';
import { storeRoutes } from './store-admin.js';

const [driver] = DRIVERS;

describe('admin routes of a store', () => {
  const withRoutes = async (body: (folder: string, post: (body: unknown) => Promise<unknown>, get: () => Promise<unknown>) => Promise<void>): Promise<void> => {
    const folder = freshFolder();
    const store = await openStore({ file: join(folder, 'a.db'), durability: 'full', ...driver ? { driver } : {}, ...surroundings() });
    const handlers = new Map<string, (request: AdminRequest) => Promise<unknown>>();
    const add = (method: string) => (path: string, handle: (request: AdminRequest) => Promise<unknown>): void => void handlers.set(`${method} ${path}`, handle);
    const admin: AdminRoutes = { get: add('GET'), post: add('POST'), put: add('PUT'), delete: add('DELETE'), events: () => undefined };
    storeRoutes({ admin }, { store });
    const call = async (route: string, given: unknown): Promise<unknown> => handlers.get(route)?.({ params: {}, query: {}, body: given })
      .catch((error: AdminError) => `${error.status} ${error.code}: ${error.message}`);
    await body(folder, (given) => call('POST /backup', given), () => call('GET /store', undefined));
    await store.close();
  };

  it('tell where it is and how it writes', () => withRoutes(async (folder, _post, get) => {
    expect(await get()).to.deep.equal({ file: join(folder, 'a.db'), driver: driver?.name, durability: 'full' });
  }));

  it('copy it to a new file and say how large that is', () => withRoutes(async (folder, post) => {
    const file = join(folder, 'copy.db');
    const answer = await post({ file }) as { bytes: number };
    expect(answer).to.deep.equal({ file, bytes: readFileSync(file).length });
    expect(readFileSync(file).subarray(0, 15).toString()).to.equal('SQLite format 3');
  }));

  it('refuse a file that exists, one that cannot be written, and a path that is not absolute', () => withRoutes(async (folder, post) => {
    const file = join(folder, 'there.db');
    writeFileSync(file, 'mine');
    expect(await post({ file })).to.equal(`409 file_exists: "${file}" exists already; choose another file`);
    expect(readFileSync(file, 'utf8')).to.equal('mine');
    expect(await post({ file: join(folder, 'none', 'copy.db') })).to.match(/^422 file_not_writable: .*copy\.db" cannot be written: /);
    for (const given of [undefined, {}, { file: 7 }, { file: 'copy.db' }]) {
      expect(await post(given)).to.equal('400 invalid_file: the body must be an object with "file", an absolute path');
    }
  }));
});
