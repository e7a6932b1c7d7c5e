import { expect } from 'chai';
import type { ClaimMark } from './claim-mark.js';
import { UnknownClaims } from './unknown-claims.js';

describe('UnknownClaims', () => {
  const freed: string[] = [];
  const release = ({ seq }: ClaimMark, subs: readonly number[]): Promise<void> => Promise.resolve(void freed.push(`${seq}: ${subs.join()}`));
  beforeEach(() => { freed.length = 0; });

  it('frees each call once, in the order in which they failed', async () => {
    const claims = new UnknownClaims();
    claims.add({ member: 1, seq: 1 }, [7]);
    claims.add({ member: 1, seq: 2 }, [7, 8]);
    await claims.free(release);
    await claims.free(release);
    expect(freed).to.deep.equal(['1: 7', '2: 7,8']);
  });

  it('frees a call again until the lease that it asked for is over: the store may carry it out late', async () => {
    const claims = new UnknownClaims();
    claims.add({ member: 1, seq: 1 }, [7], 100);
    for (const now of [98, 99, 100, 101]) await claims.free(release, now);
    expect(freed).to.deep.equal(['1: 7', '1: 7', '1: 7']);
  });

  it('keeps what could not be freed for the next time', async () => {
    const claims = new UnknownClaims();
    claims.add({ member: 1, seq: 1 }, [7]);
    const away = new Error('away');
    expect(await claims.free(() => Promise.reject(away)).catch((error: unknown) => error)).to.equal(away);
    await claims.free(release);
    expect(freed).to.deep.equal(['1: 7']);
  });

  it('keeps what fails after an answer, though much that failed before is not freed yet', async () => {
    const claims = new UnknownClaims();
    for (let seq = 1; seq <= 150; seq++) claims.add({ member: 1, seq }, [7]);
    claims.answered();
    claims.add({ member: 1, seq: 151 }, [7]);
    await claims.free(release);
    expect([freed.length, freed.at(-1)]).to.deep.equal([101, '151: 7']);
  });

  it('keeps the first hundred in a row: those after them were not sent', async () => {
    const claims = new UnknownClaims();
    for (let seq = 1; seq <= 150; seq++) claims.add({ member: 1, seq }, [7]);
    await claims.free(release);
    expect([freed.length, freed.at(-1)]).to.deep.equal([100, '100: 7']);
  });
});
