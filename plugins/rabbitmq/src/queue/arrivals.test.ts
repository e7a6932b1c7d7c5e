import { expect } from 'chai';
import { Arrivals } from './arrivals.js';

const LONG_MS = 60_000;

describe('messages on their way from RabbitMQ', () => {
  it('are known to be there once they are confirmed, and no more when they have come', () => {
    const arrivals = new Arrivals();
    for (const id of ['a', 'b', 'c']) arrivals.sent(id);
    expect([arrivals.waiting, arrivals.known]).to.deep.equal([3, 0]);
    arrivals.answered('a');
    arrivals.answered('b');
    expect([arrivals.waiting, arrivals.known]).to.deep.equal([3, 2]);
    arrivals.came('a');
    expect([arrivals.waiting, arrivals.known]).to.deep.equal([2, 1]);
  });

  it('may come before they are confirmed', () => {
    const arrivals = new Arrivals();
    arrivals.sent('a');
    arrivals.came('a');
    expect([arrivals.waiting, arrivals.known]).to.deep.equal([0, 0]);
    arrivals.answered('a');
    expect([arrivals.waiting, arrivals.known]).to.deep.equal([0, 0]);
  });

  it('are as many as the server says, and those of others and of nobody count as well', () => {
    const arrivals = new Arrivals();
    arrivals.counted(2);
    expect(arrivals.known).to.equal(2);
    arrivals.came('of another engine');
    arrivals.came(undefined);
    arrivals.came('more than were counted');
    expect(arrivals.waiting).to.equal(0);
  });

  it('are waited for until as many have come as were asked for', async () => {
    const arrivals = new Arrivals();
    let over = false;
    const waited = arrivals.next(2, LONG_MS).then((come) => {
      over = true;
      return come;
    });
    arrivals.came('a');
    await Promise.resolve();
    expect(over).to.equal(false);
    arrivals.came('b');
    expect(await waited).to.equal(true);
  });

  it('are not waited for any more after the time, or when the connection is lost', async () => {
    const arrivals = new Arrivals();
    expect(await arrivals.next(1, 1)).to.equal(false);
    const waited = arrivals.next(1, LONG_MS);
    arrivals.lost();
    expect(await waited).to.equal(false);
    arrivals.came('a');
    expect(await arrivals.next(1, 1)).to.equal(false);
  });
});
