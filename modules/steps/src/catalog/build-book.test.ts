import type { Clock } from '@treadle/api';
import { expect } from 'chai';
import { BuildBook, type BuildId } from './build-book.js';

/** A clock whose timers run when the test says so. */
class HandClock {
  private time = 0;
  private timers: { at: number; task: () => void }[] = [];
  after(ms: number, task: () => void) {
    const timer = { at: this.time + ms, task };
    this.timers.push(timer);
    return { cancel: () => { this.timers = this.timers.filter((other) => other !== timer); } };
  }
  advance(ms: number): void {
    this.time += ms;
    const due = this.timers.filter(({ at }) => at <= this.time);
    this.timers = this.timers.filter(({ at }) => at > this.time);
    for (const { task } of due) task();
  }
  get pending(): number { return this.timers.length; }
}

describe('BuildBook', () => {
  const [one, two, three] = [{}, {}, {}];
  const build = (name: string | undefined, application = 'app'): BuildId => ({ application, build: name });
  let clock: HandClock;
  let book: BuildBook;
  let gone: number;
  beforeEach(() => {
    clock = new HandClock();
    gone = 0;
    book = new BuildBook(clock as unknown as Clock, () => { gone++; });
  });
  const builds = (application = 'app'): unknown[] => book.keysOf(application).map((key) => (JSON.parse(key) as unknown[])[1]);

  it('calls a build complete when all of its sessions brought all of it', () => {
    book.attach(one, build('a'), true);
    expect(book.isComplete('app')).to.equal(true);
    book.attach(two, build('a'), false);
    expect(book.isComplete('app')).to.equal(false);
    book.leave(two);
    expect(book.isComplete('app')).to.equal(true);
  });

  it('never calls complete what has no build', () => {
    book.attach(one, build(undefined), true);
    expect(book.isComplete('app')).to.equal(false);
  });

  it('is complete again when the last session of the old build has left', () => {
    book.attach(one, build('a'), true);
    book.attach(two, build('a'), true);
    book.attach(three, build('b'), true);
    expect([builds(), book.isComplete('app')]).to.deep.equal([['b', 'a'], false]);
    book.leave(one);
    expect([builds(), book.isComplete('app')]).to.deep.equal([['b', 'a'], false]);
    book.leave(two);
    expect([builds(), book.isComplete('app')]).to.deep.equal([['b'], true]);
  });

  it('keeps the newest build when its sessions leave', () => {
    book.attach(one, build('a'), true);
    book.leave(one);
    clock.advance(600_000);
    expect([builds(), book.isComplete('app'), gone]).to.deep.equal([['a'], true, 0]);
  });

  it('takes a rollback as the newest', () => {
    book.attach(one, build('a'), true);
    book.attach(two, build('b'), true);
    book.leave(one);
    book.attach(three, build('a'), true);
    expect(builds()).to.deep.equal(['a', 'b']);
    book.leave(two);
    expect([builds(), book.isComplete('app')]).to.deep.equal([['a'], true]);
  });

  it('waits a minute for the newest build to come back while another one runs', () => {
    book.attach(one, build('a'), true);
    book.attach(two, build('b'), true);
    book.leave(two);
    clock.advance(59_000);
    expect([builds(), book.isComplete('app')]).to.deep.equal([['b', 'a'], false]);
    book.attach(two, build('b'), true);
    clock.advance(59_000);
    book.leave(two);
    clock.advance(60_000);
    expect([builds(), book.isComplete('app'), gone]).to.deep.equal([['a'], true, 1]);
  });

  it('does not let one application touch another', () => {
    book.attach(one, build('a'), true);
    book.attach(two, build('b', 'other'), false);
    expect([book.applications(), book.isComplete('app'), book.isComplete('other')]).to.deep.equal([['app', 'other'], true, false]);
    book.leave(one);
    expect([builds(), builds('other')]).to.deep.equal([['a'], ['b']]);
  });

  it('leaves no timer behind', () => {
    book.attach(one, build('a'), true);
    book.leave(one);
    book.close();
    expect(clock.pending).to.equal(0);
  });
});
