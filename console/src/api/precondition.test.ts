import { expect } from 'chai';
import { refuseUncompared } from './precondition.js';

describe('a condition of a request', () => {
  it('is refused where something would change without it, and means nothing where nothing changes', () => {
    expect(() => refuseUncompared('"1"', { method: 'DELETE', takes: [] })).to.throw('compares no revision');
    for (const [method, takes] of [['PUT', ['value', 'revision']], ['GET', []], ['EVENTS', ['group']], ['POST', undefined]] as const) {
      expect(() => refuseUncompared('"1"', { method, takes }), method).not.to.throw();
    }
    expect(() => refuseUncompared('', { method: 'DELETE', takes: [] })).not.to.throw();
  });
});
