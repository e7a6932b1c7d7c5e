import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findPython, PYTHON_PATH } from '@treadle/runtime-python';
import { expect } from 'chai';
import { stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { waitUntil } from '../support/wait-until.js';
import { GuideApplication } from './guide-application.js';

const GUIDE = 'docs/python.md';

describe('the guide to Python', function () {
  this.timeout(120_000);
  afterEach(() => stopAllEngines());

  it('shows Steps that serve, together with their streams', async () => {
    const application = new GuideApplication(GUIDE);
    const url = await application.engine.ready();
    expect(await application.findings()).to.deep.equal([]);
    const taken = await request('POST', `${url}/orders`, { item: 'lamp' });
    expect(taken.status).to.equal(201);
    const { id } = taken.json as { id: string };
    const order = await waitUntil('the shipped order', async () => {
      const { json } = await request('GET', `${url}/orders/${id}`);
      return (json as { shipped?: boolean }).shipped === true ? json : undefined;
    });
    expect(order).to.deep.equal({ id, count: 1, item: 'lamp', shipped: true });
    expect((await request('GET', `${url}/orders/none`)).status).to.equal(404);
    expect((await request('POST', `${url}/orders`, { item: '' })).status).to.equal(400);
    await request('POST', `${url}/orders`, { item: 'unicorn' });
    const [letter] = await application.admin.someLetters('ShipOrder');
    expect(letter?.reason).to.equal('non_retryable');
  });

  it('shows tests that pass', async () => {
    const { folder } = new GuideApplication(GUIDE);
    await stopAllEngines();
    const found = await findPython({ root: folder });
    if ('problem' in found) throw new Error(found.problem);
    const env = { ...process.env, PYTHONPATH: PYTHON_PATH, PYTHONDONTWRITEBYTECODE: '1' };
    const { stderr } = await promisify(execFile)(found.command, ['-m', 'unittest', 'discover', '-s', 'tests'], { cwd: folder, env });
    expect(stderr).to.match(/Ran 3 tests[\s\S]*\nOK/);
  });
});
