import { errorOf } from '@treadle/testing';
import { expect } from 'chai';
import { type Foreign, foreignQueue, ForeignMessages } from './foreign-messages.js';

const SHAPE = foreignQueue('treadle.main', {});

function foreign(count: number): Foreign[] {
  return Array.from({ length: count }, (_, index) => ({ content: Buffer.from(String(index)), properties: {} as Foreign['properties'] }));
}

describe('messages on RabbitMQ that are not of Treadle', () => {
  it('go into one queue, all of them, and the log says once of each queue where they are', async () => {
    const kept: (readonly [string, string, string])[] = [];
    const said: string[] = [];
    const messages = new ForeignMessages({
      keepForeign: ({ name }, from, these) => {
        kept.push(...these.map(({ content }) => [name, from, content.toString()] as const));
        return Promise.resolve();
      },
    }, SHAPE, { warn: (text) => void said.push(text) });
    await messages.keep('a', foreign(120));
    await messages.keep('a', foreign(1));
    await messages.keep('b', foreign(1));
    const all = [...foreign(120), ...foreign(1)].map(({ content }) => ['treadle.main.foreign', 'a', content.toString()]);
    expect(kept).to.deep.equal([...all, ['treadle.main.foreign', 'b', '0']]);
    expect(said).to.have.length(2);
    expect(said[0]).to.match(/^the queue a has messages that are not of Treadle; they go into the queue treadle\.main\.foreign/);
  });

  it('are kept once, also when the server takes some of them later', async () => {
    const kept: string[] = [];
    let away = true;
    const messages = new ForeignMessages({
      keepForeign: (_shape, _from, these) => {
        if (away && kept.length > 0) return Promise.reject(new Error('as planned'));
        return Promise.resolve(void kept.push(...these.map(({ content }) => content.toString())));
      },
    }, SHAPE, { warn: () => undefined });
    const all = foreign(120);
    expect(await errorOf(messages.keep('a', all))).to.have.property('message', 'as planned');
    away = false;
    await messages.keep('a', all);
    expect(kept).to.deep.equal(all.map(({ content }) => content.toString()));
  });

  it('go in smaller portions when they are large', async () => {
    const portions: number[] = [];
    const messages = new ForeignMessages({ keepForeign: (_shape, _from, these) => Promise.resolve(void portions.push(these.length)) }, SHAPE, { warn: () => undefined });
    await messages.keep('a', [3, 3, 1, 9, 1].map((megabytes) => ({ content: Buffer.alloc(megabytes * 1_000_000), properties: {} as Foreign['properties'] })));
    expect(portions).to.deep.equal([1, 2, 1, 1]);
  });

  it('are not taken for kept when the server does not take them', async () => {
    const messages = new ForeignMessages({ keepForeign: () => Promise.reject(new Error('as planned')) }, SHAPE, { warn: () => undefined });
    expect(await errorOf(messages.keep('a', foreign(1)))).to.have.property('message', 'as planned');
  });
});
