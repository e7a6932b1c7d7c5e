import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { eventually } from '@treadle/testing';
import { expect } from 'chai';
import { gatherWrites } from './link.js';

/** What the client writes the messages of its channels with. */
interface Mux { pipeFrom(stream: PassThrough): void }
const load = createRequire(import.meta.url);
const { Mux } = load(join(dirname(load.resolve('amqplib')), 'lib', 'mux.js')) as { readonly Mux: new (out: Writable) => Mux };

describe('messages that are sent to RabbitMQ in one turn', () => {
  it('go out in one write, turn by turn', async () => {
    const writes: number[] = [];
    const out = new Writable({
      write: (_chunk, _encoding, done) => {
        writes.push(1);
        done();
      },
      writev: (chunks, done) => {
        writes.push(chunks.length);
        done();
      },
    });
    const channel = new PassThrough({ objectMode: true, highWaterMark: 1_024 });
    new Mux(out).pipeFrom(channel);
    for (const sent of [100, 200, 300]) {
      for (let message = 0; message < 100; message += 1) {
        gatherWrites(out);
        channel.write(Buffer.from('x'));
      }
      await eventually('the messages', () => writes.reduce((sum, count) => sum + count, 0) === sent);
    }
    expect(writes).to.deep.equal([100, 100, 100]);
    expect(out.writableCorked).to.equal(0);
  });
});
