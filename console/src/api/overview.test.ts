import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILTIN_PLUGINS } from '@treadle/engine';
import { createTestComposition } from '@treadle/engine/testing';
import { expect } from 'chai';
import { askOf } from '../console.fixture.js';
import consolePlugin from '../index.js';

const YAML = `
engine: { implicit_modules: false }
modules:
  - class: modules::console::ConsoleModule
  - class: modules::http::HttpModule
  - class: modules::steps::StepsModule
`;

interface StepsBody {
  readonly items: readonly { readonly id: string; readonly config: { readonly triggers: readonly unknown[] } }[];
  readonly diagnostics: readonly { readonly code: string; readonly file: string }[];
  readonly sessions: readonly { readonly origin: string; readonly steps: readonly string[] }[];
  readonly workers: readonly unknown[];
  readonly crashes: readonly unknown[];
}

describe('the admin API of an engine with Steps', function () {
  this.timeout(120_000);

  it('tells of Steps, what is wrong with them, and who serves them', async () => {
    const root = mkdtempSync(join(tmpdir(), 'treadle-console-'));
    mkdirSync(join(root, 'steps'));
    writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(root, 'steps', 'good.step.js'), "export const config = { name: 'Good', triggers: [{ type: 'http', method: 'GET', path: '/good' }] };\nexport const handler = async () => ({ status: 204 });\n");
    writeFileSync(join(root, 'steps', 'bad.step.js'), "export const config = { name: 'Bad', triggers: [{ type: 'htp' }] };\nexport const handler = async () => undefined;\n");
    const builtins = [...BUILTIN_PLUGINS.filter(({ name }) => name !== consolePlugin.name), consolePlugin];
    const test = await createTestComposition({ root, builtins, yaml: YAML });
    try {
      const { ask } = await askOf(test);
      let body = (await ask('GET', '/api/v1/steps')).json as StepsBody;
      for (let tries = 0; tries < 2_000 && body.items.length === 0; tries += 1) {
        await new Promise((resolve) => setTimeout(resolve, 25));
        body = (await ask('GET', '/api/v1/steps')).json as StepsBody;
      }
      expect(body.items.find(({ id }) => id === 'Good')?.config.triggers[0]).to.include({ type: 'http', path: '/good' });
      expect(body.diagnostics.map(({ code, file }) => [code, file])).to.deep.equal([['STEP_UNKNOWN_KIND', 'steps/bad.step.js']]);
      expect(body.sessions[0]).to.include({ origin: 'child' });
      expect(body.sessions[0]?.steps).to.include('Good');
      expect([body.workers.length, body.crashes]).to.deep.equal([1, []]);
      const { items: modules } = (await ask('GET', '/api/v1/modules')).json as { items: { id: string; kind: string }[] };
      expect(modules.map(({ kind }) => kind)).to.include('adapter');
    } finally {
      await test.stop();
      rmSync(root, { recursive: true, force: true });
    }
  });
});
