import { expect } from 'chai';
import type { StreamEvent } from '@treadle/api';
import { GROUP, pairs, replayed, type StreamTests } from './stream-under-test.js';

/** What watchers are told. */
export function eventTests({ suite, withFresh, declared }: StreamTests): void {
  suite.test('tells of each write before it resolves, with the item, and of a delete with the item as it was', () => withFresh(async (streams) => {
    const told: number[] = [];
    for (const write of [() => streams.set('a', { n: 1 }), () => streams.set('a', { n: 2 }), () => streams.delete('a')]) {
      await write();
      told.push(streams.events.length);
    }
    expect(told).to.deep.equal([1, 2, 3]);
    expect(streams.events.map(({ id, event }) => [id, event])).to.deep.equal([
      ['a', { type: 'create', data: { n: 1 } }], ['a', { type: 'update', data: { n: 2 } }], ['a', { type: 'delete', data: { n: 2 } }],
    ]);
    for (const { stream, groupId, timestamp } of streams.events) {
      expect({ stream, groupId }).to.deep.equal(GROUP);
      // The time of a store that engines share is its own.
      if (!declared.multiEngine) expect(timestamp).to.equal(streams.clock.now());
    }
  }));

  suite.test('counts the events of each group from 1, without a gap, in one epoch', () => withFresh(async (streams) => {
    const other = { stream: 's', groupId: 'h' };
    const { epoch, seq } = await streams.position();
    expect(seq).to.equal(0);
    expect(epoch).to.be.a('string').and.not.equal('');
    for (let count = 0; count < 5; count++) await Promise.all([streams.set(`i${count}`, count), streams.send('e', count), streams.set('a', count, other)]);
    expect(streams.eventsOf().map((event) => event.seq)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(streams.eventsOf(other).map((event) => event.seq)).to.deep.equal([1, 2, 3, 4, 5]);
    expect(new Set(streams.eventsOf().map((event) => event.epoch))).to.deep.equal(new Set([epoch]));
    expect(await streams.position()).to.deep.equal({ epoch, seq: 10 });
  }));
}

/** Events that are not stored, and many of them. */
export function sendTests({ suite, withFresh }: StreamTests): void {
  suite.test('tells of events that are sent, to a group or an item, and stores nothing of them', () => withFresh(async (streams) => {
    await streams.send('typing', { who: 'x' });
    await streams.adapter.send(GROUP, { id: 'a', type: 'seen', data: null });
    expect(streams.events.map(({ id, event, seq }) => [id, event, seq])).to.deep.equal([
      [undefined, { type: 'event', event: { type: 'typing', data: { who: 'x' } } }, 1], ['a', { type: 'event', event: { type: 'seen', data: null } }, 2],
    ]);
    expect(await streams.items()).to.deep.equal([]);
  }));

  suite.test('keeps its order for thousands of events in a row', () => withFresh(async (streams) => {
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 500 }, (_, index) => streams.send('e', index)));
      await streams.set('a', round);
    }
    expect(streams.events.map(({ seq }) => seq)).to.deep.equal(Array.from({ length: 2505 }, (_, index) => index + 1));
    const sent = streams.events.flatMap(({ event }) => (event.type === 'event' ? [event.event.data] : []));
    expect(sent).to.deep.equal(Array.from({ length: 2500 }, (_, index) => index % 500));
  }));

  suite.test('tells every watcher once, until it leaves, also when another one throws', () => withFresh(async (streams) => {
    const seen: StreamEvent[] = [];
    streams.adapter.watch(() => { throw new Error('a broken watcher'); });
    const leave = streams.adapter.watch((event) => void seen.push(event));
    await streams.set('a', 1);
    leave();
    await streams.set('a', 2);
    expect(seen.map(({ event }) => event.type)).to.deep.equal(['create']);
    expect(streams.events).to.have.length(2);
  }));
}

/** Snapshots and the events that follow them. */
export function snapshotTests({ suite, withFresh }: StreamTests): void {
  suite.test('takes snapshots that the events behind their position continue exactly, in the middle of writes', () => withFresh(async (streams) => {
    const snapshots: Awaited<ReturnType<typeof streams.adapter.snapshot>>[] = [];
    const work: Promise<unknown>[] = [];
    for (let round = 0; round < 30; round++) {
      for (const id of ['a', 'b', 'c', `n${round}`]) {
        work.push(streams.set(id, round));
        if ((round + id.length) % 3 === 0) work.push(streams.delete(id));
      }
      work.push(streams.send('e', round));
      work.push(streams.adapter.snapshot(GROUP).then((snapshot) => snapshots.push(snapshot)));
      if (round % 4 === 0) await new Promise((resolve) => void setImmediate(resolve));
    }
    await Promise.all(work);
    const final = pairs(await streams.items());
    expect(snapshots).to.have.length(30);
    for (const snapshot of snapshots) expect(replayed(snapshot, streams.events)).to.deep.equal(final);
  }));
}

/** What triggers live on. */
export function changeTests({ suite, withFresh }: StreamTests): void {
  suite.test('keeps the changes that are asked for, oldest first, until they are settled', () => withFresh(async (streams) => {
    const asked: string[] = [];
    const change = (kind: string): { origin: string } | undefined => {
      asked.push(kind);
      return kind === 'update' ? undefined : { origin: `{"of":"${kind}"}` };
    };
    await streams.set('silent', 0);
    await streams.write('a', () => ({ action: 'set', value: 1 }), { change });
    await streams.write('a', () => ({ action: 'set', value: 2 }), { change });
    await streams.write('a', () => ({ action: 'keep' }), { change });
    await streams.write('a', () => ({ action: 'delete' }), { change });
    expect(asked).to.deep.equal(['create', 'update', 'delete']);
    const changes = await streams.adapter.pendingChanges(10);
    expect(changes.map(({ id: _id, text, bytes: _bytes, ...rest }) => (text === undefined || text === JSON.stringify(rest.data) ? rest : text))).to.deep.equal([
      { ...GROUP, itemId: 'a', type: 'create', data: 1, origin: '{"of":"create"}' },
      { ...GROUP, itemId: 'a', type: 'delete', data: 2, origin: '{"of":"delete"}' },
    ]);
    expect(await streams.adapter.pendingChanges(1)).to.deep.equal(changes.slice(0, 1));
    expect(await streams.adapter.pendingChanges(9, changes[0]?.id)).to.deep.equal(changes.slice(1));
    expect(await streams.adapter.pendingChanges(1, 'unknown')).to.deep.equal(changes.slice(0, 1));
    await streams.adapter.settleChanges(changes.slice(0, 1).map(({ id }) => id));
    expect(await streams.adapter.pendingChanges(10)).to.deep.equal(changes.slice(1));
    await streams.adapter.settleChanges([...changes.map(({ id }) => id), 'unknown']);
    expect(await streams.adapter.pendingChanges(10)).to.deep.equal([]);
  }));

  suite.test('gives no change the id of another, also after a restart', () => withFresh(async (streams) => {
    const ids = new Set<string>();
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 5; count++) {
        await streams.write(`${count}`, () => ({ action: 'set', value: round }), { change: () => ({ origin: 'o' }) });
      }
      const changes = await streams.adapter.pendingChanges(100);
      for (const { id } of changes) ids.add(id);
      await streams.adapter.settleChanges(changes.map(({ id }) => id));
      await streams.restart();
    }
    expect(ids.size).to.equal(15);
  }));
}
