import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { HttpInput } from '@treadle/protocol';
import { expect } from 'chai';
import { BODY_LIMIT, conversation, type Conversation, digest } from './conversation.fixture.js';
import { type RunningModule, runModule } from '../module-run.fixture.js';
import { random } from '../random.fixture.js';
import { call, openRaw, parseResponses, type RawResponse } from '../raw-client.fixture.js';

const AT_ONCE = 4;

/** Sends in pieces as the generator says: small conversations now and then byte by byte. */
async function deliver(socket: Socket, { bytes, end }: Conversation, pick: (below: number) => number): Promise<void> {
  socket.setNoDelay(true);
  const largest = bytes.length < 2000 && pick(4) === 0 ? 1 : [50, 1500, 100_000][bytes.length > 10_000 ? 1 + pick(2) : pick(3)]!;
  for (let at = 0; at < bytes.length && socket.writable;) {
    const piece = bytes.subarray(at, at + 1 + pick(largest));
    socket.write(piece);
    at += piece.length;
    await turn();
  }
  if (end === 'half') socket.end();
}

/** Resolves with the final responses when there are so many, or the server has closed. */
function responsesOf(socket: Socket, count: number): Promise<readonly RawResponse[]> {
  return new Promise((resolve) => {
    let text = '';
    const finals = (): RawResponse[] => parseResponses(text).filter(({ status }) => status !== 100);
    const whole = ({ headers, body }: RawResponse): boolean => body.length === Number(headers['content-length']);
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
      const all = finals();
      if (all.length >= count && all.every(whole)) resolve(all);
    });
    socket.on('close', () => resolve(finals()));
  });
}

describe('Conversations of random requests, in random pieces', () => {
  const seen = new Set<string>();
  const middleware = [{ prefix: '/', middleware: (_context: unknown, next: () => Promise<unknown>) => next() }];
  const kinds = [['taken from the parser', {}], ['read as a stream, below a middleware', { middleware }]] as const;

  async function handle(input: HttpInput): Promise<never> {
    const { rawBody } = input;
    const query = input.query as Record<string, string>;
    seen.add(String(query['id']));
    for (let turns = Number(query['turns']); turns > 0; turns--) await turn();
    return { status: 200, body: { kind: 'text', value: digest(Buffer.from(rawBody ?? '', 'base64')) } } as never;
  }

  async function converse(run: RunningModule, name: string, pick: (below: number) => number): Promise<void> {
    const said = conversation(pick, name);
    const socket = await openRaw(run.port);
    socket.on('error', () => undefined);
    const came = responsesOf(socket, said.answers.length);
    await deliver(socket, said, pick);
    if (said.end === 'gone') socket.destroy();
    const answers = (await came).map(({ status, body }) => (status === 200 ? `200 ${body}` : String(status)));
    socket.destroy();
    expect(answers, name).to.deep.equal(said.end === 'gone' ? said.answers.slice(0, answers.length) : said.answers);
    expect(said.unseen.filter((id) => seen.has(id)), name).to.deep.equal([]);
  }

  for (const [what, options] of kinds) {
    it(`get their answers in order when bodies are ${what}, and leave no memory taken`, async function () {
      this.timeout(180_000);
      const run = await runModule({ ...options, config: { max_buffered_bytes: 1_048_576, body_limit_bytes: 1_000_000 } });
      try {
        for (const method of ['GET', 'POST']) run.hub.add({ method, path: '/echo', rawBody: true, bodyLimit: BODY_LIMIT }, handle);
        run.hub.add({ method: 'POST', path: '/all' }, () => ({ status: 204 }));
        const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_122);
        const rounds = Number(process.env['FUZZ_REQUESTS'] ?? 320);
        for (let round = 0; round < rounds; round += AT_ONCE) {
          await Promise.all(Array.from({ length: AT_ONCE }, (_, index) =>
            converse(run, `seed-${seed + round + index}`, random(seed + round + index))));
        }
        const all = await call(`${run.url}/all`, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x'.repeat(1_000_000) });
        expect([all.status, run.hub.running, run.log.lines]).to.deep.equal([204, 0, []]);
      } finally {
        await run.stop();
        seen.clear();
      }
    });
  }
});
