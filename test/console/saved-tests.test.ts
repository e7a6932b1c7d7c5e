import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { PYTHON_PATH } from '@treadle/runtime-python';
import { expect } from 'chai';
import { testOf } from '../../console/app/src/parts/run-test.js';
import type { HttpOutcome, RunHttp } from '../../console/src/contract/index.js';
import { ROOT } from '../architecture/workspace.js';
import { cleanEnvironment } from '../support/engine-process.js';
import { requirePython } from '../support/require-python.js';
import { tempApplication } from '../support/temp-folder.js';

const SCRIPT = `import { randomUUID } from 'node:crypto';
export const config = { name: 'Order', triggers: [{ type: 'http', method: 'POST', path: '/orders' }] };
export const handler = async ({ body, headers, query }) => ({
  status: 201, body: { id: randomUUID(), at: new Date().toISOString(), parts: [null, body, { deep: [randomUUID()] }], who: headers['x-who'] ?? null, key: headers.authorization ?? '', dry: query.dry ?? false },
});
`;
const PYTHON = `import uuid

config = {"name": "Greet", "triggers": [{"type": "http", "method": "POST", "path": "/greet"}]}


async def handler(request, ctx):
    return {"status": 200, "body": {"id": str(uuid.uuid4()), "said": request.body, "none": None, "yes": True}}
`;

const answer = (status: number, body: unknown): HttpOutcome => {
  const text = JSON.stringify(body);
  return { kind: 'http', status, headers: [['Content-Type', 'application/json']], body: text, base64: false, bytes: text.length, truncated: false, firstByteMs: 1 };
};

describe('a run that was saved as a test', function () {
  this.timeout(120_000);
  const request: RunHttp = {
    kind: 'http', method: 'POST', path: '/orders?dry=true&api_key=s3cret', headers: { 'Content-Type': 'application/json', 'X-Who': 'ada', Authorization: 'Bearer s3cret' },
    body: '{"title":"a \\"lamp\\"","count":12345678901234567,"id":"6f1f7bc6-7d2a-4f0e-9f9b-2f6a1c0e4f11"}',
  };
  const answered = (over: object = {}): HttpOutcome => answer(201, {
    id: '11111111-7d2a-4f0e-9f9b-2f6a1c0e4f11', at: '2026-11-26T10:00:00.000Z', parts: [null, JSON.parse(request.body ?? ''), { deep: ['22222222-7d2a-4f0e-9f9b-2f6a1c0e4f11'] }],
    who: 'ada', key: '', dry: 'true', ...over,
  });
  /** Number of tests that pass and fail. */
  const run = (folder: string): Promise<string> => new Promise((resolve) => {
    execFile(process.execPath, [join(ROOT, 'cli/bin/run.js'), 'test'], { cwd: folder, env: { ...cleanEnvironment(), PYTHONPATH: PYTHON_PATH, PYTHONDONTWRITEBYTECODE: '1' } }, (error, stdout, stderr) => resolve(`${error?.code ?? 0}\n${stdout}${stderr}`));
  });

  it('passes in JavaScript with other ids and times, and without its secret', async () => {
    const { name, text } = testOf({ request, outcome: answered() }, 'steps/order.step.js');
    expect(name).to.equal('post-orders-201.test.mjs');
    expect(text).to.contain('6f1f7bc6').and.to.contain("process.env[\"AUTHORIZATION\"]").and.not.match(/s3cret|11111111/);
    const said = await run(tempApplication({ 'steps/order.step.js': SCRIPT, [`tests/${name}`]: text }));
    expect(said).to.match(/^0\n/).and.contain('POST /orders?dry=true&api_key=… answers 201');
  });

  it('fails when the Step answers otherwise', async () => {
    for (const [what, outcome] of [['body', answered({ who: 'eve' })], ['status', { ...answered(), status: 200 }], ['member', answered({ more: '11111111-7d2a-4f0e-9f9b-2f6a1c0e4f11' })]] as const) {
      const { name, text } = testOf({ request, outcome }, 'steps/order.step.js');
      expect(await run(tempApplication({ 'steps/order.step.js': SCRIPT, [`tests/${name}`]: text })), what).to.match(/^1\n/).and.contain('AssertionError');
    }
  });

  it('passes in Python, and fails when the Step answers otherwise', async function () {
    await requirePython(this);
    const asked: RunHttp = { kind: 'http', method: 'POST', path: '/greet', body: '{"name":"Ada","none":null,"ok":true}' };
    for (const [yes, code] of [[true, 0], [false, 1]] as const) {
      const { name, text } = testOf({ request: asked, outcome: answer(200, { id: '11111111-7d2a-4f0e-9f9b-2f6a1c0e4f11', said: JSON.parse(asked.body ?? '') as unknown, none: null, yes }) }, 'steps/greet_step.py');
      expect(name).to.equal('test_post_greet_200.py');
      expect(await run(tempApplication({ 'steps/greet_step.py': PYTHON, [`tests/${name}`]: text })), String(yes)).to.match(new RegExp(`^${code}\\n`)).and.contain('Ran 1 test');
    }
  });

  it('is TypeScript for a Step in TypeScript, and says nothing of a body that it cannot compare', () => {
    const bare: RunHttp = { kind: 'http', method: 'GET', path: '/' };
    const { name, text } = testOf({ request: bare, outcome: { ...answer(200, {}), base64: true } }, 'steps/home.step.ts');
    expect([name, text.includes('deepEqual')]).to.deep.equal(['get-200.test.ts', false]);
  });
});
