import { expect } from 'chai';
import { AdminClient } from '../support/admin-client.js';
import { BASE_STEPS, BASE_STEPS_IN_PYTHON } from '../support/base-steps.js';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const CONFIG = `modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: 0 }
`;

for (const [language, steps] of [['TypeScript', BASE_STEPS], ['Python', BASE_STEPS_IN_PYTHON]] as const) {
  describe(`the sample endpoints of the base specification, in ${language}`, function () {
    this.timeout(120_000);
    let url: string;
    let admin: AdminClient;
    before(async () => {
      const engine = new EngineProcess({ cwd: tempApplication({ ...steps, 'config.yaml': CONFIG }), args: ['--config', 'config.yaml'] });
      url = await engine.ready();
      admin = new AdminClient(engine);
      const { diagnostics } = await admin.call<{ diagnostics: readonly unknown[] }>('GET', '/steps');
      expect(diagnostics).to.deep.equal([]);
    });
    after(stopAllEngines);
    const call = (method: string, path: string, body?: object): Promise<{ readonly status: number; readonly json: unknown; readonly text: string }> => request(method, url + path, body);
    const created = async (body: object): Promise<Readonly<Record<string, string>>> => (await call('POST', '/todos', body)).json as Record<string, string>;

    it('GET /<greeting-path>: query name is optional', async () => {
      expect(await call('GET', '/greeting?name=Ada')).to.deep.include({ status: 200, json: { message: 'Hello Ada', status: 'ok', appName: 'base' } });
      expect((await call('GET', '/greeting')).json).to.include({ message: 'Hello World' });
    });

    it('POST /<collection>: 201 with id, description and createdAt; 400 and 500 with { error }', async () => {
      const { status, json } = await call('POST', '/todos', { description: 'milk', dueDate: '2026-12-01' });
      expect(status).to.equal(201);
      expect(json).to.include({ description: 'milk', dueDate: '2026-12-01' });
      const { id, createdAt } = json as { id: string; createdAt: string };
      expect(id).to.match(/^[0-9a-f-]{36}$/);
      expect(Number.isNaN(Date.parse(createdAt))).to.equal(false);
      expect(await call('POST', '/todos', {})).to.deep.include({ status: 400, json: { error: 'description is required' } });
      expect(await call('POST', '/todos', { description: 'boom' })).to.deep.include({ status: 500, json: { error: 'Internal server error' } });
      const invalid = await call('POST', '/todos', { description: 5 });
      expect(invalid.status).to.equal(400);
      expect(invalid.json).to.include({ code: 'validation_failed' }).and.have.property('error').that.is.a('string');
    });

    it('GET, PUT and DELETE /<collection>/:id: the stored object, 404 and 204 without a body', async () => {
      const todo = await created({ description: 'milk' });
      expect(await call('GET', `/todos/${todo['id']}`)).to.deep.include({ status: 200, json: todo });
      expect(await call('PUT', `/todos/${todo['id']}`, { completed: true })).to.deep.include({ status: 200, json: { ...todo, completed: true } });
      expect((await call('GET', `/todos/${todo['id']}`)).json).to.deep.equal({ ...todo, completed: true });
      expect(await call('DELETE', `/todos/${todo['id']}`)).to.include({ status: 204, text: '' });
      expect(await call('GET', `/todos/${todo['id']}`)).to.include({ status: 404, text: '' });
    });

    it('POST /<collection> (nested): pet and optional foodOrder in, id, name and photoUrl out', async () => {
      const pet = { name: 'Rex', photoUrl: 'https://pets.example/rex.png' };
      for (const body of [{ pet }, { pet, foodOrder: { quantity: 2 } }]) {
        const { status, json } = await call('POST', '/basic-tutorial', body);
        expect(status).to.equal(200);
        expect(json).to.include(pet).and.have.property('id').that.is.a('string');
        expect(Object.keys(json as object)).to.have.members(['id', 'name', 'photoUrl']);
      }
      const { status, json } = await call('POST', '/basic-tutorial', { pet: { name: 'Rex' } });
      expect(status).to.equal(400);
      expect((json as { issues: readonly { path: string }[] }).issues.map(({ path }) => path)).to.deep.equal(['pet.photoUrl']);
    });

    it('enqueue: the consumer runs with the data, in the producer\'s trace', async () => {
      const { id = '' } = await created({ description: 'milk' });
      const read = async (): Promise<unknown> => (await admin.call<{ value: unknown }>('GET', `/state/groups/followed/keys/${id}`).catch(() => undefined))?.value;
      expect(await waitUntil('the consumer', read)).to.deep.equal({ sameTrace: true });
    });
  });
}
