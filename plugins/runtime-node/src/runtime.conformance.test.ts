import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ctor, definePlugin, type Lifecycle, Module } from '@treadle/api';
import stepsPlugin, { StepsModule } from '@treadle/module-steps';
import { moduleSuite } from '@treadle/testing';
import runtimePlugin from './index.js';
import { makeApplication, request, stepFile, until } from './runtime.fixture.js';

/** Declares the kind of the Steps below, so that nothing is wrong with them. */
class HttpKind implements Lifecycle {}
Module({
  id: 'testing::http::HttpKind', summary: 'kind', stability: 'development', since: '0.1.0', config: { type: 'object' },
  triggerKinds: [{ type: 'http', summary: 'kind', schema: { type: 'object' } }],
})(HttpKind as Ctor<Lifecycle>);
const kinds = definePlugin({ name: 'kinds', version: '0.1.0', api: '^0.1.0', modules: [HttpKind] });

/** Ends by itself after some seconds: the folder may be gone before the handler has seen its file. */
const WAIT = `const { existsSync } = await import('node:fs'); for (let i = 0; i < 1_000 && !existsSync('go'); i++) await new Promise((r) => setTimeout(r, 10));`;

for (const runtime of ['Node', 'InProcess']) {
  describe(`with the runtime ${runtime}`, function conformance() {
    this.timeout(180_000);
    moduleSuite({
      module: StepsModule,
      plugins: [stepsPlugin, runtimePlugin, kinds],
      tune: { slowFactor: 3 },
      env: async () => {
        const folder = await makeApplication({ files: { 'steps/wait.step.ts': stepFile('Wait', WAIT.replace("'go'", 'input.path')) } });
        const yaml = `engine: { implicit_modules: false }\nmodules:\n  - class: testing::http::HttpKind\n  - class: modules::steps::StepsModule\n`
          + `    config: { port: 0, runtimes: [{ class: 'modules::runtime::adapters::${runtime}' }] }\n`;
        return { yaml, folder, env: process.env, cleanup: () => rm(folder, { recursive: true, force: true }) };
      },
      work: async (engine) => {
        await until(() => engine.dispatch.invoker.servers('Wait') === 1);
        const go = join(engine.plan.root, 'go');
        const done = engine.dispatch.invoker.invoke(request('Wait', { input: { method: 'GET', path: go, headers: {} } }));
        return { done, finish: () => writeFile(go, '') };
      },
    });
  });
}
