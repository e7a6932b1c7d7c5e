import { expect } from 'chai';
import { type RunningModule, runModule } from './module-run.fixture.js';
import { call, type RawResponse, sendRaw } from './raw-client.fixture.js';
import { random } from './random.fixture.js';

const SEEDS = [
  'GET /ok HTTP/1.1\r\nHost: x\r\n\r\n',
  'POST /ok?a=1&b[]=%20 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{"a":[1,"x"]}',
  'POST /ok HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nTrailer: x\r\n\r\n',
  'POST /ok HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 73\r\n\r\n--b\r\ncontent-disposition: form-data; name="f"; filename="g"\r\n\r\nx\r\n--b--\r\n',
  'POST /ok HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 7\r\nExpect: 100-continue\r\n\r\na=1&b=2',
  'OPTIONS /users/7 HTTP/1.1\r\nHost: x\r\nOrigin: https://a.example\r\nAccess-Control-Request-Method: GET\r\n\r\n',
  'GET http://x/users/%C3%A9?q=1#f HTTP/1.0\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: h2c\r\ntraceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n\r\n',
];
const PIECES = ['\r\n', '\n', '\r', '\0', ' ', ':', ',', '%', '%00', '%zz', '/', '//', '..', '?', '#', '\u00ff', '{', '"__proto__":1', '9'.repeat(30), 'chunked', 'Host: y\r\n', 'Content-Length: 1\r\n', '-1', '\t', ';', 'x'.repeat(9000)];

function mutate(pick: (below: number) => number): string {
  let text = SEEDS[pick(SEEDS.length)]!;
  for (let changes = 1 + pick(3); changes > 0; changes--) {
    const at = pick(text.length + 1);
    const kind = pick(4);
    const piece = kind === 0 ? String.fromCharCode(pick(256)) : PIECES[pick(PIECES.length)]!;
    const cut = kind === 1 ? pick(8) : kind === 2 ? 1 : 0;
    text = text.slice(0, at) + piece + text.slice(at + cut);
  }
  return text;
}

function expectOrdinary({ status, body }: RawResponse, said: string): void {
  expect(status, said).to.be.below(500);
  if (status >= 400 && body !== '') expect(JSON.parse(body), said).to.have.all.keys('error', 'code', 'traceId');
}

describe('Mutated requests', () => {
  let run: RunningModule;
  const wild: unknown[] = [];
  const keep = (error: unknown): void => void wild.push(error);
  before(async () => {
    run = await runModule({ config: { cors: { allowed_origins: ['https://a.example'] } } });
    for (const method of ['GET', 'POST']) run.hub.add({ method, path: '/ok' }, (input) => ({ status: 200, body: { kind: 'json', value: input } }));
    run.hub.add({ method: 'GET', path: '/users/:id' }, (input) => ({ status: 200, body: { kind: 'json', value: input.pathParams } }));
    process.on('uncaughtExceptionMonitor', keep);
  });
  after(async () => {
    process.off('uncaughtExceptionMonitor', keep);
    await run.stop();
  });

  it('get answers in the one form, never a 5xx, and leave the server as it was', async function () {
    this.timeout(180_000);
    const rounds = Number(process.env['FUZZ_REQUESTS'] ?? 600);
    const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_120);
    const pick = random(seed);
    for (let round = 0; round < rounds; round += 40) {
      const requests = Array.from({ length: 40 }, () => mutate(pick));
      const answers = await Promise.all(requests.map((text) => sendRaw(run.port, Buffer.from(text, 'latin1'), 120, 120)));
      for (const [index, { responses }] of answers.entries()) {
        const said = `seed ${seed}: ${JSON.stringify(requests[index]!.slice(0, 400))}`;
        for (const response of responses) expectOrdinary(response, said);
      }
    }
    expect(wild).to.deep.equal([]);
    expect(run.log.lines).to.deep.equal([]);
    expect((await call(`${run.url}/ok`)).status).to.equal(200);
  });
});
