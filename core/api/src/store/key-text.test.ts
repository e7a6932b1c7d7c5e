import { expect } from 'chai';
import fc from 'fast-check';
import { decodeKey, encodeKey } from './key-text.js';

describe('groups and keys as text of the database', () => {
  const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) });
  const wellFormed = fc.string({ unit: fc.oneof(fc.constantFrom('\0', '\u0001', '\u0002', 'a', '%', '😀', '\uffff'), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })) });

  it('come back as they were, whatever they hold, and never hold NUL or half a pair', () => {
    fc.assert(fc.property(anyText, (text) => {
      const encoded = encodeKey(text);
      expect(decodeKey(encoded)).to.equal(text);
      expect(encoded).to.not.match(/[\0\ud800-\udfff]/u);
    }));
  });

  it('keep the order of their UTF-8 bytes', () => {
    fc.assert(fc.property(wellFormed, wellFormed, (a, b) => {
      const bytes = Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(Math.sign(Buffer.compare(Buffer.from(encodeKey(a)), Buffer.from(encodeKey(b))))).to.equal(bytes);
    }));
  });

  it('keep prefixes', () => {
    fc.assert(fc.property(wellFormed, wellFormed, (a, b) => {
      expect(encodeKey(a + b).startsWith(encodeKey(a))).to.equal(true);
    }));
  });
});
