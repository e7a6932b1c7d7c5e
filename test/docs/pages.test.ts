import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../architecture/workspace.js';
import { AdminClient } from '../support/admin-client.js';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requirePython } from '../support/require-python.js';
import { copyOfSample, tempApplication, tempFolder, writeFiles } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { filesIn } from './guide-application.js';
import { fencesOf } from './markdown.js';
import { PageSession, type Mismatch } from './page-session.js';

const TUTORIAL = 'docs/tutorial.md';

describe('pages that are followed word by word', function () {
  this.timeout(300_000);
  let session: PageSession | undefined;
  afterEach(() => session?.stop());
  afterEach(() => stopAllEngines());

  async function follow(page: string, folder?: string): Promise<void> {
    session = new PageSession(page, folder);
    await session.follow();
    if (process.env['UPDATE_GOLDEN'] === '1') return update(page, session.mismatches);
    expect(session.mismatches.map(told).join('\n')).to.equal('');
  }

  it('the tutorial does what it says, from an empty folder to a backup', () => follow(TUTORIAL));

  it('the first screen of the README does what it says', () => {
    const folder = join(tempFolder(), 'shop');
    writeFiles(folder, { 'package.json': '{ "name": "shop", "private": true, "type": "module" }\n' });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
    return follow('README.md', folder);
  });

  for (const example of ['links', 'chat', 'orders', 'images', 'webhook']) {
    it(`the README of the example ${example} does what it says`, async function () {
      if (example === 'images') await requirePython(this);
      await follow(`test/apps/${example}/README.md`, copyOfSample(example));
    });
  }

  for (const page of ['README.md', TUTORIAL]) {
    it(`the Step of ${page} in Python does what the one in TypeScript does`, async function () {
      await requirePython(this);
      const { 'steps/ship-order.step.ts': replaced = '', ...others } = filesIn(page);
      const [inPython] = fencesOf(page).filter(({ language }) => language === 'python');
      expect(replaced).to.include("'ShipOrder'");
      const folder = tempApplication({ ...others, 'steps/ship_order_step.py': inPython?.text ?? '' });
      const engine = new EngineProcess({ cwd: folder, env: { PORT: '0', STREAM_PORT: '0', CONSOLE_PORT: '0', WORKER_PORT: '0', TILL_KEY: 'a key' } });
      const url = await engine.ready();
      expect((await request('POST', `${url}/orders`, { id: 'o-1', item: 'lamp' }, { 'x-api-key': 'a key' })).status).to.equal(202);
      const admin = new AdminClient(engine);
      await waitUntil('the shipped order', async () => {
        const kept = await admin.call<{ value: { status: string } }>('GET', '/state/groups/orders/keys/o-1').catch(() => undefined);
        return kept?.value.status === 'shipped';
      });
    });
  }

  it('the tutorial shows the container files that the deployment guide offers', () => {
    const shown = fencesOf(TUTORIAL).filter(({ name }) => ['Dockerfile', '.dockerignore'].includes(name));
    expect(shown.map(({ text }) => text)).to.deep.equal(shown.map(({ name }) => readFileSync(join(ROOT, 'docs/deploy', name), 'utf8')));
    expect(shown).to.have.length(2);
  });
});

function told({ fence, outputs }: Mismatch): string {
  return `${fence.file}:${fence.line} shows\n${fence.text}but there was first\n${outputs[0]}and at last\n${outputs.at(-1)}`;
}

/** Puts what came out where something else is shown. */
function update(page: string, mismatches: readonly Mismatch[]): void {
  const lines = readFileSync(join(ROOT, page), 'utf8').split('\n');
  for (const { fence, outputs } of [...mismatches].reverse()) {
    lines.splice(fence.line, fence.text.split('\n').length - 1, ...(outputs.at(-1) ?? '').trimEnd().split('\n'));
  }
  writeFileSync(join(ROOT, page), lines.join('\n'));
}
