import { expect } from 'chai';
import { withServer } from '../testing/kit.fixture.js';
import { query } from '../testing/server.fixture.js';
import { serverUrl } from '../testing/shared-server.fixture.js';
import { bigints, integers, texts } from './binary-arrays.js';

/** What the server has read, each element as text. */
async function readBack(type: string, value: Buffer | null): Promise<readonly (string | null)[] | null> {
  const [row] = await query<{ read: readonly (string | null)[] | null }>(await serverUrl(), `SELECT $1::${type}[]::text[] AS read`, [value]);
  return row?.read ?? null;
}

withServer.describe('arrays in binary form', () => {
  withServer.it('give the server the numbers that they were made of', async () => {
    const small = [0, 1, -1, 2_147_483_647, -2_147_483_648];
    expect(await readBack('integer', integers(small))).to.deep.equal(small.map(String));
    const large = [...small, 2 ** 32, -(2 ** 32), -(2 ** 32) - 1, 1_790_000_000_123, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
    expect(await readBack('bigint', bigints(large))).to.deep.equal(large.map(String));
    expect(await readBack('bigint', bigints([1, null, 3]))).to.deep.equal(['1', null, '3']);
  });

  withServer.it('give the server the texts that they were made of', async () => {
    const all = ['', 'NULL', 'a,b', '{"a":"b\\"c\\\\"}', '\u{1F600} é', ' x ', 'x'.repeat(100_000)];
    expect(await readBack('text', texts(all))).to.deep.equal(all);
    expect(await readBack('text', texts([null, 'a', null]))).to.deep.equal([null, 'a', null]);
  });

  withServer.it('are empty without elements, and null with nulls alone', async () => {
    expect(await readBack('integer', integers([]))).to.deep.equal([]);
    expect(await readBack('bigint', bigints([]))).to.deep.equal([]);
    expect(await readBack('text', texts([]))).to.deep.equal([]);
    expect([bigints([null, null]), texts([null])]).to.deep.equal([null, null]);
  });
});
