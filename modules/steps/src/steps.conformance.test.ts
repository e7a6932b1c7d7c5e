import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { moduleSuite } from '@treadle/testing';
import plugin, { StepsModule } from './index.js';
import { request, TestWorker, until } from './steps.fixture.js';

moduleSuite({
  module: StepsModule,
  plugins: [plugin],
  secrets: ['a-secret-token'],
  env: () => ({
    yaml: 'engine: { implicit_modules: false }\nmodules:\n  - class: modules::steps::StepsModule\n    config: { port: 0, runtimes: [], token: a-secret-token }\n',
  }),
  work: async (engine) => {
    const worker = await TestWorker.connect(engine.addresses.get('worker-tcp') ?? '');
    await worker.hello((await readFile(join(engine.plan.dataDir, 'worker.token'), 'utf8')).trim());
    worker.send({ type: 'register', complete: true, reports: [{ file: 'a', version: '1', steps: [{ config: { name: 'A', triggers: [] } }] }] });
    await until(() => engine.dispatch.invoker.servers('A') === 1);
    const done = engine.dispatch.invoker.invoke(request());
    const { id } = await worker.next('invoke');
    return { done, finish: () => worker.send({ type: 'result', id }) };
  },
});
