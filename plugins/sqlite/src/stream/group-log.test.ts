import { join } from 'node:path';
import { OperationError, type StreamEvent } from '@treadle/api';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { openStore } from '../store/open-store.js';
import type { WriteRequest } from '../store/store-area.js';
import type { Settled, Ticket } from '../store/write-queue.js';
import { freshFolder, surroundings } from '../testing/store.fixture.js';
import { GroupLog } from './group-log.js';

const FULL: Settled = { ok: false, error: new OperationError('StorageFull', 'nothing was stored: no room') };
const STORED: Settled = { ok: true, value: null };

function group() {
  const asked: { readonly request: WriteRequest; readonly settled: (outcome: Settled) => void }[] = [];
  const store = {
    isClosed: false,
    write: (request: WriteRequest, settled: (outcome: Settled) => void) => {
      asked.push({ request, settled });
      return {} as Ticket;
    },
  };
  const clock = fakeClock();
  const [told, done]: [StreamEvent[], string[]] = [[], []];
  const log = new GroupLog({ stream: 's', groupId: 'g' }, { seq: 0, floor: 0 }, store, clock, (event) => void told.push(event), 'e');
  const emit = (id: string, stored: boolean): void => log.emit({ id, event: { type: 'event', event: { type: 't', data: 1 } }, timestamp: 1 }, stored, (error) => void done.push(`${id} ${error?.code ?? 'told'}`));
  return { log, store, clock, asked, told, done, emit };
}

describe('GroupLog', () => {
  it('tells what is stored when its positions can be stored, and asks for them again until then', async () => {
    const { log, clock, asked, told, done, emit } = group();
    emit('stored', true);
    emit('sent', false);
    asked[0]?.settled(FULL);
    expect(done).to.deep.equal(['sent StorageFull']);
    await clock.advance(5_000);
    expect(asked).to.have.length(2);
    asked[1]?.settled(FULL);
    await clock.advance(5_000);
    asked[2]?.settled(STORED);
    expect(done).to.deep.equal(['sent StorageFull', 'stored told']);
    expect(told.map(({ id, seq }) => [id, seq])).to.deep.equal([['stored', 1]]);
    expect(log.quiet).to.equal(true);
  });

  for (const [way, end] of [['the store is closed', (store: { isClosed: boolean }) => (store.isClosed = true)], ['the disk failed', () => undefined]] as const) {
    it(`gives up when ${way}`, async () => {
      const { store, clock, asked, done, emit } = group();
      emit('stored', true);
      end(store);
      asked[0]?.settled(store.isClosed ? FULL : { ok: false, error: new OperationError('StorageFailed', 'it is not known') });
      await clock.advance(5_000);
      expect([asked.length, done.length]).to.deep.equal([1, 1]);
    });
  }

  it('never has lower positions stored than were once granted, unless it gives them back', async () => {
    const store = await openStore({ file: join(freshFolder(), 'a.db'), durability: 'full', commits: 'loop', ...surroundings() });
    const seqAfter = async (operation: string, seq: number): Promise<unknown> => {
      await store.apply({ operation, rows: [['s', 'g', seq, 0, 1]] });
      return store.reads.prepare('SELECT seq FROM stream_groups').get()?.['seq'];
    };
    expect([await seqAfter('stream.position', 2_000), await seqAfter('stream.position', 1_000), await seqAfter('stream.release', 5)]).to.deep.equal([2_000, 2_000, 5]);
    await store.close();
  });
});
