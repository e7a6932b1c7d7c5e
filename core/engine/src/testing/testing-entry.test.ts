import { createRequire } from 'node:module';
import { expect } from 'chai';
import * as compiled from './index.js';

const names = Object.keys(compiled).sort();
const entry = await import(new URL('../../bin/testing.js', import.meta.url).href) as Readonly<Record<string, unknown>>;

describe('the entry @treadle/engine/testing', () => {
  it('gives all that there is, out of the bundle or not', () => {
    expect(Object.keys(entry).sort()).to.deep.equal(names);
    expect(Object.values(entry).every((value) => typeof value === 'function')).to.equal(true);
  });

  it('is what the package gives to an import, and can be required', async () => {
    expect((await import('@treadle/engine/testing')).createTestEngine).to.equal(entry['createTestEngine']);
    const required = createRequire(import.meta.url)('@treadle/engine/testing') as object;
    expect(names.every((name) => name in required)).to.equal(true);
  });
});
