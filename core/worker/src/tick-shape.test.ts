import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { heldTick, keepTickShape } from './tick-shape.js';

describe('keepTickShape', () => {
  it('holds an object of process.nextTick, and the same one however often it is called', async () => {
    keepTickShape();
    await setImmediate();
    const first = heldTick();
    keepTickShape();
    await setImmediate();
    expect(first).to.have.property('callback').that.is.a('function');
    expect(heldTick()).to.equal(first);
  });
});
