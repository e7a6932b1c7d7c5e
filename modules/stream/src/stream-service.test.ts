import type { AtomicPart, AtomicRun, Json, StreamAdapter, StreamWrite, StreamWriteResult } from '@treadle/api';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import type { Declarations } from './access/declarations.js';
import { atomicStreams, type AtomicStreamsParts } from './atomic-streams.js';
import type { ItemJudge } from './access/item-judge.js';
import { StreamService } from './stream-service.js';

const GROUP = { stream: 'board', groupId: 'g' };

/** A service over an adapter that writes as it is told to, and a queue that counts. */
function fixture(write: (write: StreamWrite) => Promise<StreamWriteResult>, wanted = true): { readonly service: StreamService; readonly feed: { told: number } } {
  const declarations = { get: (name: string) => ({ name }) } as unknown as Declarations;
  const service = new StreamService({ write } as unknown as StreamAdapter, declarations, {} as ItemJudge);
  service.open(fakeClock());
  const feed = { told: 0, wants: () => wanted, recorded: () => void (feed.told += 1), close: async () => undefined };
  service.feed = feed;
  return { service, feed };
}

const set = (service: StreamService, item: Json = 1): Promise<string> =>
  service.set(GROUP, 'i', item).then(() => 'written', ({ code }: { code: string }) => code);

describe('StreamService and the queue', () => {
  it('tells of a change whose write failed after it was handed over: whether it was stored is not known', async () => {
    const { service, feed } = fixture(async ({ change }) => {
      change?.('create');
      throw new Error('lost while committing');
    });
    expect(await set(service)).to.equal('StreamUnavailable');
    expect(feed.told).to.equal(1);
  });

  it('tells once of a change that was written', async () => {
    const { service, feed } = fixture(async ({ change }) => {
      change?.('create');
      return { before: undefined, after: { value: 1, revision: 1 } };
    });
    expect(await set(service)).to.equal('written');
    expect(feed.told).to.equal(1);
  });

  it('says nothing of a write that left no change, or one that nobody waits for', async () => {
    const refused = fixture(() => Promise.reject(new Error('before anything was written')));
    await set(refused.service);
    const unwanted = fixture(async ({ change }) => {
      expect(change?.('create')).to.equal(undefined);
      throw new Error('lost while committing');
    }, false);
    expect(await set(unwanted.service)).to.equal('StreamUnavailable');
    expect([refused.feed.told, unwanted.feed.told]).to.deep.equal([0, 0]);
  });

  it('refuses writes once it is closed, and one that began before leaves its change', async () => {
    let end = (): void => undefined;
    const held = new Promise<void>((resolve) => { end = resolve; });
    const { service, feed } = fixture(async ({ change }) => {
      await held;
      change?.('create');
      return { before: undefined, after: { value: 1, revision: 1 } };
    });
    const begun = set(service);
    service.close();
    expect(await set(service)).to.equal('StreamUnavailable');
    end();
    expect([await begun, feed.told]).to.deep.equal(['written', 1]);
  });
});

describe('the streams of an atomic run', () => {
  it('are those of the module it began with: after a reload the run begins again', () => {
    let part: AtomicPart | undefined;
    const run = { part: (_name: string, make: () => AtomicPart) => part ??= make(), conflict: (what: string) => { throw new Error(`conflict: ${what}`); } } as unknown as AtomicRun;
    const parts = (): AtomicStreamsParts => ({ adapter: {} as StreamAdapter, clock: fakeClock(), serviceOver: () => fixture(() => Promise.reject(new Error('unused'))).service, recorded: () => undefined });
    const former = parts();
    expect(atomicStreams(run, former)).to.equal(atomicStreams(run, former));
    expect(() => atomicStreams(run, parts())).to.throw('conflict: the module that keeps streams');
  });
});
