import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { waitUntil } from '../support/wait-until.js';
import { GuideApplication } from './guide-application.js';
import { fencesOf } from './markdown.js';

const ACCOUNT = `import { http, step } from 'treadle';
import { z } from 'zod';
export default step({ name: 'Account', triggers: [http('POST', '/account', { bodySchema: z.object({ id: z.string() }) })] },
  async (_input, ctx) => ({ status: 200, body: { client: (ctx as { auth?: { name: string } }).auth?.name } }));
`;
const MINE = `import { http, step } from 'treadle';
import { session } from '../src/session.js';
export default step({ name: 'Mine', triggers: [http('GET', '/mine', { middleware: [session] })] }, async (_input, { auth }) => ({ status: 200, body: { user: auth.user } }));
`;

describe('samples of guides', function () {
  this.timeout(120_000);
  after(() => stopAllEngines());

  describe('cookbook', () => {
    let application: GuideApplication;
    let url: string;
    beforeEach(async () => {
      application = new GuideApplication('docs/cookbook.md');
      url = await application.engine.ready();
      expect((await application.findings()).filter((finding) => !/: STEP_TOPIC_NOT_(?:CONSUMED|ENQUEUED)$/.test(finding))).to.deep.equal([]);
    });

    it('welcomes once, then redirects whoever has the cookie', async () => {
      const first = await fetch(`${url}/welcome`);
      expect([first.status, await first.text()]).to.deep.equal([200, '<h1>Welcome</h1>']);
      const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? '';
      const second = await fetch(`${url}/welcome`, { headers: { cookie }, redirect: 'manual' });
      expect([second.status, second.headers.get('location')]).to.deep.equal([302, '/home']);
    });

    it('takes an upload, and asks for the file where there is none', async () => {
      const upload = async (field: string): Promise<Response> => {
        const form = new FormData();
        form.set(field, new Blob(['a cat']), 'cat.jpg');
        return fetch(`${url}/photos`, { method: 'POST', body: form });
      };
      expect((await upload('picture')).status).to.equal(400);
      const taken = await upload('photo');
      const { id } = await taken.json() as { id: string };
      expect(taken.status).to.equal(202);
      expect(readdirSync(join(application.folder, 'uploads'))).to.deep.equal([id]);
      expect(readFileSync(join(application.folder, 'uploads', id), 'utf8')).to.equal('a cat');
    });

    it('asks for a reminder, and waits for several Steps', async () => {
      expect((await request('POST', `${url}/reminders/7`)).status).to.equal(204);
      for (const part of ['left', 'right', 'left']) {
        await application.admin.call('POST', '/queues/messages', { topic: 'part.done', data: { job: 'j', part, of: 2 } });
      }
      await waitUntil('both parts', async () => {
        const parts = await application.stateOf('jobs', 'j') as object | undefined;
        return parts !== undefined && Object.keys(parts).length === 2;
      });
      await waitUntil('the end of all deliveries', async () => (await application.admin.gathered()).every((line) => line.endsWith(': 0')));
      expect(await application.admin.letters('CollectPart')).to.deep.equal([]);
    });
  });

  it('authentication: keys for a folder before its bodies, a token for a route, a session from sign-in on', async () => {
    const env = { BILLING_KEY: 'key-of-billing-17', SHOP_KEY: 'key-of-the-shop-18', SESSION_SECRET: 'signs sessions 1234', PASSWORD: 'open' };
    const application = new GuideApplication('docs/authentication.md', env, { 'steps/account/account.step.ts': ACCOUNT, 'steps/mine.step.ts': MINE });
    const url = await application.engine.ready();
    expect(existsSync(join(application.folder, 'steps/account/guard.middleware.ts'))).to.equal(true);
    expect(await application.findings()).to.deep.equal([]);
    expect((await request('POST', `${url}/account`, {})).status, 'without key and with a bad body').to.equal(401);
    expect((await request('POST', `${url}/account`, {}, { 'x-api-key': env.SHOP_KEY })).status).to.equal(400);
    expect((await request('POST', `${url}/account`, { id: '1' }, { 'x-api-key': env.SHOP_KEY })).json).to.deep.equal({ client: 'shop' });
    const me = await request('GET', `${url}/me`);
    expect(me.status, me.text + application.engine.output).to.equal(401);
    expect((await request('POST', `${url}/sign-in`, { user: 'ada', password: 'shut' })).status).to.equal(401);
    const signedIn = await fetch(`${url}/sign-in`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ user: 'ada', password: 'open' }) });
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await request('GET', `${url}/mine`)).status).to.equal(401);
    expect((await request('GET', `${url}/mine`, undefined, { cookie })).json).to.deep.equal({ user: 'ada' });
  });

  describe('Steps that name no file', () => {
    let application: GuideApplication;
    let url: string;
    before(async () => {
      const samples = ['docs/steps.md', 'docs/http.md', 'docs/from-express.md'].flatMap((guide) => fencesOf(guide))
        .filter(({ name, language, text }) => name === '' && language === 'ts' && text.includes('triggers:'));
      expect(samples).to.have.length.greaterThan(9);
      application = new GuideApplication('docs/frontend.md', {}, {
        'report.csv': 'a,b\n', ...Object.fromEntries(samples.map(({ text }, index) => [`steps/sample-${index}.step.ts`, text])),
      });
      url = await application.engine.ready();
      expect((await application.findings()).filter((finding) => !finding.endsWith('STEP_TOPIC_NOT_CONSUMED'))).to.deep.equal([]);
    });

    const answer = async (method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<string> => {
      const { status, text } = await request(method, `${url}${path}`, body, headers);
      return `${status} ${text.replaceAll(/[0-9a-f]{32}/g, 'ID')}`.trim();
    };

    for (const [method, path, body, expected, headers] of [
      ['GET', '/ping', undefined, '200 {"pong":true}'],
      ['GET', '/pong', undefined, '200 {"ping":true}'],
      ['GET', '/echo/hello', undefined, '200 {"word":"hello"}'],
      ['GET', '/open', undefined, '200 {"open":0}'],
      ['POST', '/orders', { item: 'lamp' }, '201 {"id":"o-1","item":"lamp","count":1}'],
      ['POST', '/orders?dryRun=true', { item: 'lamp' }, '204'],
      ['GET', '/report', undefined, '200 a,b'],
      ['GET', '/tickets/7', undefined, '404 {"error":"there is no ticket 7","code":"not_found","traceId":"ID"}'],
      ['POST', '/pay', { amount: 'much' }, '401 {"error":"a key is needed"}'],
      ['POST', '/pay', { amount: 3 }, '200 {"paid":3,"by":"Ada"}', { 'x-key': 'key-of-ada' }],
      ['POST', '/theme/dark', undefined, '303'],
      ['POST', '/users', { name: 'Ada' }, '201 {"id":"ID","name":"Ada"}'],
      ['POST', '/api/rooms/lobby/messages', { author: 'Ada', text: 'hi' }, '201 {"author":"Ada","text":"hi"}'],
    ] as const) {
      it(`answer ${method} ${path} with ${expected.slice(0, 3)}`, async () => {
        expect(await answer(method, path, body, headers)).to.equal(expected);
      });
    }

    it('send events', async () => {
      const events = (await fetch(`${url}/clock`)).body?.getReader();
      const { value } = await events?.read() ?? {};
      await events?.cancel();
      expect(Buffer.from(value ?? []).toString()).to.match(/^data: \{"now":"/m);
    });
  });
});
