import { expect } from 'chai';
import { BodyPieces } from './body-memory.js';

describe('BodyPieces', () => {
  const sizes: readonly [string, readonly number[]][] = [
    ['nothing', []],
    ['one piece', [5]],
    ['small pieces', [1, 2, 3]],
    ['an empty piece', [0, 1, 0]],
    ['pieces around the size of a block', [1, 2047, 2047, 2, 1, 2048, 4096, 4097, 1]],
    ['small and large pieces in turn', [1, 5000, 1, 5000, 1]],
  ];
  for (const [what, lengths] of sizes) {
    it(`joins ${what} in order`, () => {
      const pieces = new BodyPieces();
      const sent = lengths.map((length, index) => Buffer.alloc(length, index + 1));
      for (const piece of sent) pieces.add(piece);
      expect(pieces.take().equals(Buffer.concat(sent))).to.equal(true);
    });
  }

  it('gives one piece back as it came', () => {
    const pieces = new BodyPieces();
    const only = Buffer.from('x');
    pieces.add(only);
    expect(pieces.take()).to.equal(only);
  });

  it('keeps small pieces in few buffers', () => {
    const pieces = new BodyPieces();
    for (let at = 0; at < 100_000; at++) pieces.add(Buffer.from([at % 256]));
    expect(pieces.count).to.equal(1 + Math.ceil(99_999 / 4096));
    expect(pieces.take()).to.have.length(100_000);
    expect(pieces.count).to.equal(0);
  });

  it('has nothing after it was cleared', () => {
    const pieces = new BodyPieces();
    for (const piece of ['a', 'b']) pieces.add(Buffer.from(piece));
    pieces.clear();
    pieces.add(Buffer.from('c'));
    expect([pieces.count, pieces.take().toString()]).to.deep.equal([1, 'c']);
  });
});
