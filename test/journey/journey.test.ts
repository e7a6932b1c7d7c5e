import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@treadle/testing';
import { findPython } from '@treadle/runtime-python';
import { expect } from 'chai';
import { LocalRegistry } from '../registry/local-registry.js';
import { publishWorkspace } from '../registry/publish-workspace.js';
import { DockerImage } from '../support/docker-image.js';
import { request } from '../support/http-client.js';
import { requireOrSkip } from '../support/requirement.js';
import { tempFolder, writeFiles } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { requirePage, sampleAnswer } from './combination.js';
import { travel, type Arrival } from './journey.js';
import { ONE_PROCESS } from './project.js';
import { stopAllUserProcesses, UserProcess } from './user-process.js';

// `npm run campaign:create` makes the journey of all nine, each with an install of its own.
describe('from a registry to production', function () {
  this.timeout(600_000);
  let registry: LocalRegistry;
  let env: NodeJS.ProcessEnv;
  let first: Arrival | undefined;

  before(async () => {
    registry = await LocalRegistry.start();
    await publishWorkspace(registry);
    env = registry.environment(tempFolder());
  });
  after(async () => {
    await stopAllUserProcesses();
    await registry?.stop();
  });

  it('takes "npx treadle create" in an empty folder: full-stack in TypeScript, installed for real', async () => {
    first = await travel({ language: 'ts', template: 'full-stack' }, { folder: tempFolder(), env });
    expect(first.firstAnswerS).to.be.above(0);
  });

  it('serves page, API and stream out of the image that "generate docker" describes, with the command line in it', async () => {
    if (!first) throw new Error('nothing was installed');
    const { folder, combination } = first.project;
    await new UserProcess({ command: ['npx', 'treadle', 'generate', 'docker'], cwd: folder, env }).succeeded();
    const image = DockerImage.make(folder, { env });
    expect(existsSync(join(image.folder, 'node_modules/typescript')), 'development packages').to.equal(false);
    const ports = { PORT: String(await freePort()), CONSOLE_PORT: '0', WORKER_PORT: '0' };
    const running = image.run(ports);
    try {
      const url = `http://127.0.0.1:${ports.PORT}`;
      await waitUntil('an answer', () => {
        if (running.child.exitCode !== null) throw new Error(running.output);
        return sampleAnswer(url, combination);
      });
      await requirePage(url);
      expect(image.health(ports)).to.equal(0);
      const backup = image.run({}, ['npx', 'treadle', 'backup', 'data/copy.db']);
      expect(await backup.exit, backup.output).to.equal(0);
    } finally {
      expect(await running.stop(), running.output).to.equal(0);
    }
  });

  it('keeps streams of KvStore in a file, with nothing installed beyond that', async () => {
    if (!first) throw new Error('nothing was installed');
    const { project } = first;
    expect(existsSync(join(project.folder, 'node_modules/@keyv/sqlite')), 'what has to be compiled').to.equal(false);
    const [path, adapter] = ['      path: /streams\n', '      adapter: { class: "modules::stream::adapters::KvStore", config: { store_method: file_based } }\n'];
    writeFiles(project.folder, { 'kv.yaml': readFileSync(join(project.folder, ONE_PROCESS), 'utf8').replace(path, path + adapter) });
    for (const count of [1, 2]) {
      await project.run('start', async (url) => {
        const { json } = await request('GET', `${url}/tasks`);
        expect((json as { items: unknown[] }).items, 'of this start and the one before').to.have.length(count);
      }, 'kv.yaml');
    }
    expect(existsSync(join(project.folder, 'data/kv_store.db'))).to.equal(true);
  });

  for (const combination of [{ language: 'js', template: 'api' }, { language: 'py', template: 'basic' }] as const) {
    it(`works with ${combination.template} in ${combination.language}, on the packages that were installed`, async function () {
      if (combination.language === 'py') requireOrSkip(this, !('problem' in await findPython({ root: '/' })), 'Python 3.10 or newer');
      if (!first) throw new Error('nothing was installed');
      await travel(combination, { folder: tempFolder(), env, packagesOf: first.project.folder });
    });
  }
});
