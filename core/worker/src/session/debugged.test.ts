import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { discoverStepFiles } from '../discover.js';
import { AppFolder } from '../runner.fixture.js';
import { FakeEngine } from './fake-engine.fixture.js';

/** The built program: children run JavaScript. */
const CHILD = fileURLToPath(new URL('../../dist/child-main.js', import.meta.url));

describe('a child process that a debugger can reach', () => {
  it('is never called stuck: it may stand at a breakpoint', async () => {
    const engine = new FakeEngine();
    const app = new AppFolder();
    const [began, go] = [join(app.root, 'began'), join(app.root, 'go')];
    app.write('steps/a.step.mjs', `import { existsSync, writeFileSync } from 'node:fs';
      export const config = { name: 'A', triggers: [{ type: 'http', method: 'GET', path: '/a' }] };
      export const handler = () => {
        writeFileSync(${JSON.stringify(began)}, '');
        while (!existsSync(${JSON.stringify(go)}));
        return { status: 200, body: 'done' };
      };`);
    const socketUrl = await engine.listen(join(app.root, 'w.sock'));
    const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', CHILD], { stdio: ['pipe', 'ignore', 'ignore'], env: { ...process.env, NODE_OPTIONS: '' } });
    try {
      child.stdin.write(`${JSON.stringify({ socketUrl, token: engine.token, childId: 'c1', root: app.root, mode: 'development' })}\n`);
      const session = await engine.session(0);
      session.send({ type: 'load', files: await discoverStepFiles(app.root) });
      await session.first('register');
      await engine.heartbeat(({ type }) => type === 'alive');
      const id = session.invoke('A');
      while (!existsSync(began)) await delay(5);
      const before = engine.heartbeats.length;
      while (engine.heartbeats.length < before + 3) await delay(20);
      const told = engine.heartbeats.slice(before).map((message) => message.type === 'alive' && { late: message.loopDelayMs, held: message.held });
      expect(told).to.deep.equal(told.map(() => ({ late: 0, held: undefined })));
      writeFileSync(go, '');
      expect(await session.json(id)).to.equal('done');
    } finally {
      child.kill('SIGKILL');
      await engine.close();
      app.remove();
    }
  });
});
