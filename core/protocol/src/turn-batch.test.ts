import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { FRAME_TARGET_BYTES } from './limits.js';
import { parseFrame, TurnBatch } from './turn-batch.js';

const textOf = (frame: string | Uint8Array): string => (typeof frame === 'string' ? frame : Buffer.from(frame).toString());

function recorded(onUnwritable?: (message: object, reason: unknown) => void): { frames: string[]; batch: TurnBatch<object> } {
  const frames: string[] = [];
  return { frames, batch: new TurnBatch<object>({ write: (frame) => frames.push(textOf(frame)), ...(onUnwritable ? { onUnwritable } : {}) }) };
}

describe('TurnBatch', () => {
  it('writes all messages of a turn as one frame, in order, texts and objects mixed', async () => {
    const { frames, batch } = recorded();
    batch.push({ n: 1 });
    batch.pushText('{"n":2}');
    batch.push({ n: 3 });
    expect(frames).to.deep.equal([]);
    await turn();
    expect(frames).to.deep.equal(['[{"n":1},{"n":2},{"n":3}]']);
    batch.push({ n: 4 });
    await turn();
    expect(frames[1]).to.equal('[{"n":4}]');
  });

  it('writes a full portion at once and the rest at the end of the turn', async () => {
    const frames: string[] = [];
    const batch = new TurnBatch<object>({ write: (frame) => frames.push(textOf(frame)), portion: 2 });
    for (let n = 1; n <= 5; n++) batch.push({ n });
    expect(frames).to.deep.equal(['[{"n":1},{"n":2}]', '[{"n":3},{"n":4}]']);
    await turn();
    expect(frames.slice(2)).to.deep.equal(['[{"n":5}]']);
  });

  it('writes nothing in a turn without messages and nothing twice after an early flush', async () => {
    const { frames, batch } = recorded();
    batch.flush();
    batch.push({ n: 1 });
    batch.flush();
    await turn();
    expect(frames).to.deep.equal(['[{"n":1}]']);
  });

  it('cuts a turn so that no frame exceeds 1 MiB, whatever the weights say', async () => {
    for (const weigh of [true, false]) {
      const { frames, batch } = recorded();
      const texts = Array.from({ length: 30 }, (_, n) => ({ n, text: 'ä'.repeat(40_000) }));
      for (const message of texts) batch.push(message, weigh ? 80_020 : 0);
      await turn();
      expect(frames.length).to.be.greaterThan(2);
      for (const frame of frames) expect(Buffer.byteLength(frame)).to.be.at.most(FRAME_TARGET_BYTES);
      expect(frames.flatMap((frame) => JSON.parse(frame) as unknown[])).to.deep.equal(texts);
    }
  });

  it('cuts a turn of texts as well', async () => {
    const { frames, batch } = recorded();
    const texts = Array.from({ length: 50 }, (_, n) => JSON.stringify({ n, text: 'x'.repeat(60_000) }));
    for (const text of texts) batch.pushText(text);
    await turn();
    for (const frame of frames) expect(frame.length).to.be.at.most(FRAME_TARGET_BYTES);
    expect(frames.flatMap((frame) => JSON.parse(frame) as unknown[])).to.have.length(50);
  });

  it('writes a text that begins a frame of its own as the message that it is', async () => {
    for (const first of ['text', 'object']) {
      const { frames, batch } = recorded();
      const messages = [1, 2].map((n) => ({ n, text: 'x'.repeat(600_000) }));
      if (first === 'text') batch.pushText(JSON.stringify(messages[0]));
      else batch.push(messages[0] as object, 600_000);
      batch.pushText(JSON.stringify(messages[1]));
      await turn();
      expect(frames.map((frame) => JSON.parse(frame) as unknown)).to.deep.equal(messages.map((message) => [message]));
    }
  });

  it('writes a large text as bytes, made of its pieces, in a frame of its own and in its place', async () => {
    const written: (string | Uint8Array)[] = [];
    const batch = new TurnBatch<object>({ write: (frame) => written.push(frame) });
    batch.pushText('{"n":', '1}');
    batch.pushText('{"text":"', 'ä😀'.repeat(40_000), '"}');
    batch.push({ n: 3 });
    await turn();
    expect(written.map((frame) => typeof frame)).to.deep.equal(['string', 'object', 'string']);
    expect(written.flatMap((frame) => JSON.parse(textOf(frame)) as unknown[])).to.deep.equal([{ n: 1 }, { text: 'ä😀'.repeat(40_000) }, { n: 3 }]);
  });

  it('gives a single oversized message a frame of its own', async () => {
    const { frames, batch } = recorded();
    const large = { text: 'x'.repeat(2 * FRAME_TARGET_BYTES) };
    batch.push({ n: 1 });
    batch.push(large);
    batch.push({ n: 2 });
    await turn();
    expect(frames.map((frame) => (JSON.parse(frame) as unknown[]).length)).to.deep.equal([1, 1, 1]);
  });

  it('leaves out a message that cannot be written, says so, and sends the others', async () => {
    const refused: object[] = [];
    const { frames, batch } = recorded((message) => refused.push(message));
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    batch.push({ n: 1 });
    batch.push(circular);
    batch.push({ n: 2 });
    await turn();
    expect(refused).to.deep.equal([circular]);
    expect(frames).to.deep.equal(['[{"n":1},{"n":2}]']);
  });
});

describe('parseFrame', () => {
  it('gives the messages of a frame in order', () => {
    expect(parseFrame('[{"type":"ping"},{"type":"pong"}]')).to.deep.equal([{ type: 'ping' }, { type: 'pong' }]);
  });

  for (const text of ['', 'x', '{"type":"ping"}', '[]', '[1]', '[null]', '[[]]', '[{"type":1}]', '[{"type":"ping"},{}]']) {
    it(`refuses ${text || 'nothing'}`, () => {
      expect(parseFrame(text)).to.equal(undefined);
    });
  }
});
