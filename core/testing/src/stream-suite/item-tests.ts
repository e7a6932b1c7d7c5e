import { expect } from 'chai';
import type { Json } from '@treadle/api';
import { callsUnderWay } from '../suite/calls-under-way.js';
import { NAMES } from '../state-suite/state-under-test.js';
import { GROUP, pairs, type StreamTests } from './stream-under-test.js';

/** Items and revisions. */
export function itemTests({ suite, withFresh }: StreamTests): void {
  suite.test('gives back what was written and counts its revisions upwards', () => withFresh(async (streams) => {
    const first = await streams.set('a', { n: 1 });
    expect(first.before).to.equal(undefined);
    expect(first.after?.value).to.deep.equal({ n: 1 });
    const revision = first.after?.revision ?? 0;
    expect(revision).to.equal(1);
    const second = await streams.set('a', [2]);
    expect(second).to.deep.equal({ before: { value: { n: 1 }, revision }, after: { value: [2], revision: revision + 1 } });
    expect(await streams.adapter.get(GROUP, 'a')).to.deep.equal({ value: [2], revision: revision + 1 });
    expect(await streams.delete('a')).to.deep.equal({ before: { value: [2], revision: revision + 1 }, after: undefined });
    expect(await streams.adapter.get(GROUP, 'a')).to.equal(undefined);
    expect((await streams.set('a', 3)).after?.revision).to.be.greaterThan(revision + 1);
  }));

  suite.test('knows null from missing', () => withFresh(async (streams) => {
    await streams.set('null', null);
    expect((await streams.adapter.get(GROUP, 'null'))?.value).to.equal(null);
    expect(await streams.adapter.get(GROUP, 'missing')).to.equal(undefined);
    expect(pairs(await streams.items())).to.deep.equal([['null', null]]);
  }));

  suite.test('lists items in the order of their creation, whatever their ids and later writes', () => withFresh(async (streams) => {
    for (const id of ['m', 'z', 'a', '10', '9']) await streams.set(id, id);
    await streams.set('z', 'again');
    await streams.delete('m');
    await streams.set('m', 'new');
    expect((await streams.items()).map(({ id }) => id)).to.deep.equal(['z', 'a', '10', '9', 'm']);
  }));
}

/** Values and names of every kind. */
export function nameTests({ suite, withFresh }: StreamTests): void {
  suite.test('gives fresh objects', () => withFresh(async (streams) => {
    const value = { list: [1] };
    await streams.set('a', value);
    value.list.push(2);
    const got = await streams.adapter.get(GROUP, 'a');
    (got?.value as { list: Json[] }).list.push(3);
    const [item] = await streams.items();
    (item?.value as { list: Json[] }).list.push(4);
    const { before } = await streams.write('a', (current) => {
      (current?.value as { list: Json[] }).list.push(5);
      return { action: 'keep' };
    });
    expect(before?.value, 'result of a write that keeps').to.not.equal(undefined);
    expect((await streams.adapter.get(GROUP, 'a'))?.value).to.deep.equal({ list: [1] });
  }));

  suite.test('takes any text as stream, group and id', () => withFresh(async (streams) => {
    const triples = NAMES.flatMap((name, index) => [
      { group: { stream: name, groupId: 'k' }, id: 'x' }, { group: { stream: 'g', groupId: name }, id: 'k' },
      { group: { stream: 'g', groupId: NAMES[(index + 1) % NAMES.length] ?? '' }, id: name },
    ]);
    const unique = new Map(triples.map((triple) => [JSON.stringify(triple), triple]));
    for (const [text, { group, id }] of unique) await streams.set(id, text, group);
    for (const [text, { group, id }] of unique) expect((await streams.adapter.get(group, id))?.value, text).to.equal(text);
    for (const name of NAMES) {
      const items = await streams.items({ stream: name, groupId: 'k' });
      const expected = [...unique].filter(([, { group }]) => group.stream === name && group.groupId === 'k');
      expect(items.map(({ value }) => value)).to.deep.equal(expected.map(([text]) => text));
    }
  }));
}

/** Writes at the same time. */
export function writeTests({ suite, withFresh, declared }: StreamTests): void {
  suite.test('counts every one of 50 updates at the same time', () => withFresh(async (streams) => {
    await Promise.all(Array.from({ length: 50 }, () => streams.add('n', 1)));
    expect(await streams.adapter.get(GROUP, 'n')).to.deep.equal({ value: 50, revision: 50 });
  }));

  suite.test('writes one item in the order of the calls, from the first one of an engine on', () => withFresh(async (streams) => {
    if (declared.durable) await streams.restart();
    const answers = await callsUnderWay((index) => streams.set('a', index));
    expect(answers.map(({ after }) => after?.value)).to.deep.equal(answers.map((_, index) => index));
    expect(answers.map(({ after }) => after?.revision)).to.deep.equal(answers.map((_, index) => index + 1));
  }));

  suite.test('changes and tells nothing for "keep", for deleting what is missing and when the decision throws', () => withFresh(async (streams) => {
    await streams.set('a', 1);
    const fault = new Error('no');
    const entry = { value: 1, revision: 1 };
    expect(await streams.write('a', () => ({ action: 'keep' }))).to.deep.equal({ before: entry, after: entry });
    expect(await streams.delete('missing')).to.deep.equal({ before: undefined, after: undefined });
    const error = await streams.write('a', () => { throw fault; }).then(() => undefined, (reason: unknown) => reason);
    expect(error).to.equal(fault);
    expect(streams.events).to.have.length(1);
    expect((await streams.position()).seq).to.equal(1);
    expect((await streams.set('a', 2)).after?.revision).to.equal(2);
  }));
}

/** Groups of a stream. */
export function groupTests({ suite, withFresh }: StreamTests): void {
  suite.test('lists the groups that hold an item, of one stream, in the order of their bytes, page by page', () => withFresh(async (streams) => {
    const names = NAMES.filter((name) => name !== '');
    for (const groupId of names) await streams.set('a', 1, { stream: 's', groupId });
    await streams.set('a', 1, { stream: 's2', groupId: 'other' });
    await streams.set('a', 1, { stream: 's', groupId: 'emptied' });
    await streams.delete('a', { stream: 's', groupId: 'emptied' });
    await streams.send('x', 1, { stream: 's', groupId: 'only events' });
    const sorted = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    for (const limit of [1, 7, 100]) expect(await streams.groups('s', { limit })).to.deep.equal(sorted);
    expect(await streams.groups('s', { prefix: 'g', limit: 2 })).to.deep.equal(sorted.filter((name) => name.startsWith('g')));
    expect(await streams.groups('none')).to.deep.equal([]);
  }));
}
