import { expect } from 'chai';
import fc from 'fast-check';
import { textAt, textOfToken, tokenOf } from './subjects.js';

describe('tokens of subjects', () => {
  it('hold any text, half surrogate pairs too, in the alphabet of NATS, and no two texts have one token', () => {
    const seen = new Map<string, string>();
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 110 }), (text) => {
      const token = tokenOf(text);
      expect(token).to.match(/^[A-Za-z0-9_-]+$/);
      expect(textOfToken(token)).to.equal(text);
      expect(seen.get(token) ?? text).to.equal(text);
      seen.set(token, text);
    }), { numRuns: 200 });
    for (const text of ['', '.', '*', '>', 'a.b', 'a b', 'na', 'ua', '\ud800', 'x\udfff', '😀', '\0']) expect(textOfToken(tokenOf(text))).to.equal(text);
  });

  it('keep plain names readable, and give them back from their place in a subject', () => {
    expect(tokenOf('orders_2026-01')).to.equal('norders_2026-01');
    const subject = `treadle.x.s.${tokenOf('a.b')}.${tokenOf('k')}`;
    expect([textAt(subject, 'treadle.x.s.', 0), textAt(subject, 'treadle.x.s.', 1)]).to.deep.equal(['a.b', 'k']);
  });
});
