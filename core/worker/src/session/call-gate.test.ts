import { expect } from 'chai';
import { CallGate } from './call-gate.js';

describe('CallGate', () => {
  let main: CallGate;
  let other: CallGate;
  beforeEach(() => {
    main = new CallGate();
    other = new CallGate(main.memory);
  });

  it('lets in what nobody withdrew, and withdraws nothing that was let in', () => {
    for (const id of [0, 1, 4095, 4096, 2 ** 31 - 2, 2 ** 31, 2 ** 40]) {
      const gate = new CallGate();
      expect([gate.enter(id), gate.withdraw(id), gate.enter(id)], String(id)).to.deep.equal([true, false, true]);
    }
  });

  it('refuses what was withdrawn, before it came or after, asked once or twice', () => {
    for (const id of [0, 1, 4096, 2 ** 31, 2 ** 40]) {
      const gate = new CallGate();
      expect([gate.withdraw(id), gate.withdraw(id), gate.enter(id)], String(id)).to.deep.equal([true, true, false]);
    }
  });

  it('knows what has ended, until a later one in its slot has', () => {
    for (const id of [0, 1, 4095, 2 ** 31, 2 ** 40]) {
      expect([main.enter(id), other.hasEnded(id)], String(id)).to.deep.equal([true, false]);
      main.leave(id);
      expect([other.hasEnded(id), other.withdraw(id), other.hasEnded(id + 4096)], String(id)).to.deep.equal([true, false, false]);
    }
    main.leave(1 + 4096);
    expect([other.hasEnded(1), other.hasEnded(1 + 4096)]).to.deep.equal([false, true]);
  });

  it('shares its memory, and its slots do not get mixed up', () => {
    main.enter(7);
    expect([other.withdraw(7), other.withdraw(8), main.enter(8), main.enter(9)]).to.deep.equal([false, true, false, true]);
  });

  it('takes what began long ago for begun, and withdraws what came later in its slot', () => {
    main.enter(5);
    main.enter(5 + 4096);
    expect([other.withdraw(5), other.withdraw(5 + 4096), other.withdraw(5 + 2 * 4096)]).to.deep.equal([false, false, true]);
    expect([other.withdraw(5 + 4096), main.enter(5 + 2 * 4096)]).to.deep.equal([false, false]);
  });
});
