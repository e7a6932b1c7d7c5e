import { expect } from 'chai';
import type { DeclaredSubscription, SubscriptionKey } from '../blocks/queue-messages.js';
import { StandingVotes } from './standing-votes.js';

const put = (step: string): { readonly action: 'put'; readonly subscription: DeclaredSubscription } => ({ action: 'put', subscription: { step, topic: 't' } as DeclaredSubscription });

const nothing = (): Promise<void> => Promise.resolve();

describe('the votes of an engine', () => {
  let votes: StandingVotes;
  let cast: string[];
  beforeEach(() => {
    [votes, cast] = [new StandingVotes(), []];
  });
  const keep = (member: number): Promise<void> => votes.keep(member, async (keys) => void cast.push(names(keys)));
  const names = (keys: readonly SubscriptionKey[]): string => keys.map(({ step }) => step).join();

  it('are cast again by each member that it becomes, without those that it took back', async () => {
    await votes.change([put('a'), put('b')], () => 1, nothing);
    for (const member of [1, 1, 0, 2, 2]) await keep(member);
    await votes.change([{ action: 'retire', key: { step: 'a', topic: 't' }, afterMs: 0 }], () => 2, nothing);
    await keep(3);
    expect(cast).to.deep.equal(['a,b', 'a,b', 'b']);
  });

  it('are cast again when it became another member while some were cast', async () => {
    await keep(2);
    const members = [1, 2];
    await votes.change([put('a')], () => members.shift() ?? 0, nothing);
    await keep(2);
    expect(cast).to.deep.equal(['', 'a']);
  });

  it('are cast and taken back one after the other', async () => {
    await votes.change([put('a'), put('b')], () => 1, nothing);
    const said: string[] = [];
    const slow = (what: string) => async (): Promise<void> => {
      said.push(`${what} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      said.push(`${what} ends`);
    };
    const casting = votes.keep(2, slow('cast'));
    const changing = votes.change([{ action: 'retire', key: { step: 'a', topic: 't' }, afterMs: 0 }], () => 2, slow('change'));
    await casting;
    await votes.keep(3, slow('cast during the change'));
    await changing;
    await keep(3);
    expect([said, cast]).to.deep.equal([['cast begins', 'cast ends', 'change begins', 'change ends'], ['b']]);
  });

  it('stay as they were when a change fails, and are cast again', async () => {
    const fault = await votes.change([put('a')], () => 1, () => Promise.reject(new Error('away'))).catch((error: Error) => error.message);
    await keep(2);
    expect([fault, cast]).to.deep.equal(['away', ['']]);
  });

  it('are cast the next time when that fails', async () => {
    await votes.change([put('a')], () => 1, nothing);
    const fault = await votes.keep(2, () => Promise.reject(new Error('away'))).catch((error: Error) => error.message);
    await keep(2);
    expect([fault, cast]).to.deep.equal(['away', ['a']]);
  });
});
