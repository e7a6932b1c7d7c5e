import { Readable } from 'node:stream';
import { once } from 'node:events';
import { expect } from 'chai';
import { OutputTail } from './output-tail.js';

describe('OutputTail', () => {
  const read = async (pieces: readonly string[]): Promise<{ tail: OutputTail; lines: string[] }> => {
    const tail = new OutputTail();
    const lines: string[] = [];
    const stream = Readable.from(pieces.map((piece) => Buffer.from(piece)));
    tail.read(stream, (line) => lines.push(line));
    await once(stream, 'end');
    return { tail, lines };
  };

  it('puts lines together that arrive in pieces', async () => {
    const { tail, lines } = await read(['a', 'b\nc\r\nd', 'e']);
    expect(lines).to.deep.equal(['ab', 'c', 'de']);
    expect(tail.text).to.equal('ab\nc\r\nde');
  });

  it('keeps the last 64 KB', async () => {
    const { tail } = await read(Array.from({ length: 100 }, (_, i) => `${String(i).padStart(2, '0')}${'x'.repeat(1998)}`));
    expect(tail.text).to.have.length(64 * 1024);
    expect(tail.text.slice(-2000, -1998)).to.equal('99');
  });

  it('cuts a line without end', async () => {
    const { lines } = await read(['x'.repeat(40 * 1024)]);
    expect(lines.map((line) => line.length)).to.deep.equal([16 * 1024, 16 * 1024, 8 * 1024]);
  });
});
