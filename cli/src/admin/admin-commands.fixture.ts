import { expect } from 'chai';
import { type CommandOutcome, makeApp, removeApp, runCli } from '../cli.fixture.js';
import { FakeAdmin } from './admin-server.fixture.js';

/** Commands in an application whose engine is a `FakeAdmin`, a fresh one for each test. */
export class AdminCommands {
  folder = '';
  admin!: FakeAdmin;
  url = '';

  /** To be called in a `describe`. */
  static use(): AdminCommands {
    const commands = new AdminCommands();
    before(() => { commands.folder = makeApp(); });
    after(() => removeApp(commands.folder));
    beforeEach(async () => {
      commands.admin = new FakeAdmin();
      commands.url = await commands.admin.start();
    });
    afterEach(() => commands.admin.stop());
    return commands;
  }

  readonly run = (...args: string[]): Promise<CommandOutcome> =>
    runCli(args, { cwd: this.folder, env: { TREADLE_ADMIN_URL: this.url, ADMIN_TOKEN: 'secret' } });

  /** What a command prints that succeeds. */
  readonly printed = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await this.run(...args);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    return stdout;
  };

  /** `route`: method and path without `/api/v1`, e.g. `GET /queues`. */
  readonly answers = (route: string, body: unknown, status = 200): void => void this.admin.answers.set(route, [status, body]);
}
