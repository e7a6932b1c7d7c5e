import { findPython } from '@treadle/runtime-python';
import { StreamClient } from '@treadle/stream-client';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { AdminClient } from '../support/admin-client.js';
import { CreatedProject, type Outcome } from '../support/created-project.js';
import { stopAllEngines, type EngineProcess } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { hasPyright, pythonTypeProblems } from '../support/python-types.js';
import { requireOrSkip } from '../support/requirement.js';
import { tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

interface Task { readonly id: string; readonly description: string; readonly completed: boolean }

const LANGUAGES = ['ts', 'js', 'py'] as const;
const TEMPLATES = ['basic', 'api', 'full-stack'] as const;
const SAMPLES = { basic: basicWorks, api: apiWorks, 'full-stack': fullStackWorks };

for (const template of TEMPLATES) {
  for (const language of LANGUAGES) {
    describe(`a project made from ${template} in ${language}`, function () {
      this.timeout(240_000);
      let project: CreatedProject;
      before(async function () {
        if (language === 'py') requireOrSkip(this, !('problem' in await findPython({ root: '/' })), 'Python 3.10 or newer');
        project = await CreatedProject.make(tempFolder(), 'my-app', ['--language', language, '--template', template]);
      });
      afterEach(() => stopAllEngines());

      it('passes its check, types included', async () => {
        expectSuccess(await project.script('check'), /\d Steps in \d files: valid\./);
      });

      if (template === 'full-stack' && language === 'ts') {
        it('has the types that "generate types" writes', async () => {
          expectSuccess(await project.treadle('generate', 'types'), /unchanged|up to date/);
        });
      }

      if (language === 'py') {
        it('has types that pyright accepts', async function () {
          requireOrSkip(this, hasPyright(), 'pyright, which "npm install" brings');
          expect(await pythonTypeProblems(project.folder)).to.equal('');
        });
      }

      it('passes its own tests', async () => {
        expectSuccess(await project.script('test'));
      });

      it('answers its sample requests under "dev"', async () => {
        const engine = project.dev();
        await SAMPLES[template](await engine.ready(), engine);
        expect(await engine.stop('SIGINT')).to.deep.equal({ code: 0, signal: null });
        expect(engine.output).not.to.match(/\b(?:error|warning?)\b/i);
      });
    });
  }
}

function expectSuccess({ code, output }: Outcome, shown = /(?:)/): void {
  expect(code, output).to.equal(0);
  expect(output).to.match(shown);
}

async function basicWorks(url: string, engine: EngineProcess): Promise<void> {
  expect(await request('GET', `${url}/hello?name=Ada`)).to.deep.include({ status: 200, json: { message: 'Hello, Ada!' } });
  expect(await request('GET', `${url}/hello`)).to.deep.include({ status: 200, json: { message: 'Hello, world!' } });
  expect((await request('GET', `${url}/hello?name=`)).status).to.equal(400);
  const admin = new AdminClient(engine);
  const counted = await waitUntil('the count', () => admin.call<{ value: unknown }>('GET', '/state/groups/greetings/keys/Ada').catch(() => undefined));
  expect(counted.value).to.deep.equal({ count: 1 });
}

async function apiWorks(url: string): Promise<void> {
  const made = await request('POST', `${url}/tasks`, { description: 'Buy milk', dueDate: '2030-01-01' });
  expect(made.status, made.text).to.equal(201);
  const task = made.json as Task;
  expect(task).to.deep.include({ description: 'Buy milk', dueDate: '2030-01-01', completed: false });
  const path = `${url}/tasks/${task.id}`;
  expect(await request('GET', path)).to.deep.include({ status: 200, json: task });
  expect(await request('PUT', path, { completed: true })).to.deep.include({ status: 200, json: { ...task, completed: true } });
  await pagesWork(url);
  expect(await request('DELETE', path)).to.deep.include({ status: 204, text: '' });
  expect(await request('GET', path)).to.deep.include({ status: 404, text: '' });
  for (const body of [{}, { description: '' }, { description: 'x', dueDate: 'tomorrow' }]) {
    const refused = await request('POST', `${url}/tasks`, body);
    expect(refused).to.deep.include({ status: 400 });
    expect(refused.json).to.have.property('error').that.is.a('string');
  }
}

/** With "Buy milk" there already. */
async function pagesWork(url: string): Promise<void> {
  for (const description of ['second', 'third']) expect((await request('POST', `${url}/tasks`, { description })).status).to.equal(201);
  const page = async (query: string): Promise<unknown> => {
    const { json } = await request('GET', `${url}/tasks${query}`);
    const { items, ...rest } = json as { items: Task[] };
    return { ...rest, items: items.map(({ description }) => description) };
  };
  expect(await page('')).to.deep.equal({ items: ['Buy milk', 'second', 'third'], page: 1, limit: 10 });
  expect(await page('?limit=2')).to.deep.equal({ items: ['Buy milk', 'second'], page: 1, limit: 2 });
  expect(await page('?page=2&limit=2')).to.deep.equal({ items: ['third'], page: 2, limit: 2 });
  expect(await page('?page=1000000000&limit=2')).to.deep.equal({ items: [], page: 1_000_000_000, limit: 2 });
  expect((await request('GET', `${url}/tasks?page=0`)).status).to.equal(400);
}

async function fullStackWorks(url: string): Promise<void> {
  for (const [path, type] of [['/', 'text/html'], ['/app.js', 'text/javascript'], ['/style.css', 'text/css'], ['/stream-client/index.js', 'text/javascript']]) {
    const { status, headers } = await request('GET', `${url}${path}`);
    expect([status, headers['content-type']], path).to.satisfy(([code, given]: [number, string]) => code === 200 && given.startsWith(type ?? ''));
  }
  const client = new StreamClient({ url: `${url.replace('http', 'ws')}/streams`, WebSocket });
  try {
    const tasks = client.subscribe<Task>({ streamName: 'tasks', groupId: 'all' });
    await tasks.ready();
    await apiWorks(url);
    await waitUntil('what is left', () => tasks.items.map(({ data }) => data.description).join() === 'second,third');
  } finally {
    client.close();
  }
}
