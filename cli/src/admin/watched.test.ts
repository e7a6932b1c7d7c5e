import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { startCli } from '../cli.fixture.js';
import { AdminCommands } from './admin-commands.fixture.js';

describe('tables that are watched', function () {
  this.timeout(120_000);
  const commands = AdminCommands.use();
  const overview = (waiting: number): object => ({
    items: [{ step: 'Notify', topic: 'orders', application: 'shop', paused: false, fifo: false, waiting, delayed: 0, retrying: 0, active: 0, dead: 0 }], gone: [], unrouted: [],
  });

  it('are shown again with what the engine has then, until Ctrl-C, exit code 0', async () => {
    commands.answers('GET /queues', overview(1));
    const child = startCli(['queue', 'list', '--watch'], { cwd: commands.folder, env: { TREADLE_ADMIN_URL: commands.url, ADMIN_TOKEN: 'secret' } });
    let output = '';
    child.stdout?.on('data', (text: Buffer) => { output += text.toString('utf8'); });
    const shown = async (text: string): Promise<void> => {
      while (!output.includes(text)) await delay(20);
    };
    await shown('1 subscription, 1 waiting');
    commands.answers('GET /queues', overview(7));
    await shown('1 subscription, 7 waiting');
    child.kill('SIGINT');
    expect(await once(child, 'close')).to.deep.equal([0, null]);
    expect(output).not.to.include('\u001b');
  });

  it('end when the engine does, and are no document', async () => {
    expect((await commands.run('cron', 'list', '--watch', '--json')).code).to.equal(64);
    await commands.admin.stop();
    expect((await commands.run('queue', 'list', '--watch')).code).to.equal(69);
  });
});
