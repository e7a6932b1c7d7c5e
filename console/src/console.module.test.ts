import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { moduleSuite } from '@treadle/testing';
import { createTestComposition } from '@treadle/engine/testing';
import { expect } from 'chai';
import { startConsole } from './console.fixture.js';
import consolePlugin, { ConsoleModule } from './index.js';

const yaml = (config: string): string => `engine: { implicit_modules: false }\nmodules: [{ class: modules::console::ConsoleModule, config: ${config} }]\n`;

moduleSuite({
  module: ConsoleModule, plugins: [consolePlugin], env: () => ({ yaml: yaml('{ port: 0, auth: { token: a-secret-of-operators } }') }),
  secrets: ['a-secret-of-operators'],
});

describe('ConsoleModule', () => {
  it('announces its address and takes its token away at the end', async () => {
    const { test, port } = await startConsole();
    expect(test.url('console')).to.equal(`http://127.0.0.1:${port}`);
    const file = join(test.dataDir, 'admin.token');
    expect(existsSync(file)).to.equal(true);
    await test.engine.stop();
    expect(existsSync(file)).to.equal(false);
    await test.stop();
  });

  it('names the setting when its port is taken', async () => {
    const { test, port } = await startConsole();
    const error = await createTestComposition({ builtins: [consolePlugin], yaml: yaml(`{ port: ${port} }`) }).then(() => undefined, (reason: unknown) => reason);
    expect(error).to.include({ code: 'ADDRESS_IN_USE', hint: 'free it or change modules[0].config.port' });
    await test.stop();
  });

  it('takes the token that it is given, also over a reload', async () => {
    const console = await startConsole({ config: 'auth: { token: first }' });
    expect(console.token).to.equal('first');
    const report = await console.test.reload(yaml(`{ port: ${console.port}, auth: { token: second } }`));
    expect(report.restarted).to.deep.equal(['modules::console::ConsoleModule']);
    const status = async (token: string): Promise<number> =>
      (await console.raw(['GET /api/v1/engine HTTP/1.1', 'Host: localhost:{}', `Authorization: Bearer ${token}`])).status;
    expect([await status('first'), await status('second')]).to.deep.equal([401, 200]);
    await console.test.stop();
  });
});
