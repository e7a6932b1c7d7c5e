import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { request } from '../support/http-client.js';
import { waitUntil } from '../support/wait-until.js';
import { sampleAnswer, type Combination } from './combination.js';
import { PRODUCTION_INSTALL, type Manager } from './other-managers.js';
import { UserProcess } from './user-process.js';

const START_LIMIT_MS = 180_000;
const TOKEN = 'a-token-of-this-journey';
/** On free ports: the default ones may be taken. */
export const ONE_PROCESS = 'one-process.yaml';
const ENGINE_ALONE = 'engine-alone.yaml';

/** An application that a user has made, at work in the ways that its README tells. */
export class Project {
  constructor(readonly folder: string, readonly combination: Combination, private readonly env: NodeJS.ProcessEnv, private readonly manager: Manager = 'npm') {
    const own = join(folder, 'config.yaml');
    const text = existsSync(own) ? readFileSync(own, 'utf8') : 'modules:\n  - class: modules::http::HttpModule\n    config: { port: "${PORT:3111}" }\n';
    for (const [file, discover] of [[ONE_PROCESS, true], [ENGINE_ALONE, false]] as const) {
      writeFileSync(join(folder, file), `${text}  - class: modules::steps::StepsModule\n    config: { port: 0, discover: ${String(discover)} }\n`);
    }
  }

  /** What a fresh install would put in reach of this project, taken from another one: its declared packages, nothing else. */
  borrowPackages(from: string): void {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(this.folder, 'package.json'), 'utf8')) as Record<string, Record<string, string>>;
    for (const name of [...Object.keys({ ...dependencies, ...devDependencies }), '.bin']) {
      const [source, target] = [join(from, 'node_modules', name), join(this.folder, 'node_modules', name)];
      if (!existsSync(source)) throw new Error(`${name} is not installed in ${from}`);
      mkdirSync(dirname(target), { recursive: true });
      symlinkSync(source, target, 'dir');
    }
  }

  /** `npm run <script>`, or what the package manager has for it, to its end. */
  async script(name: string): Promise<string> {
    return this.start([this.manager, 'run', name]).succeeded();
  }

  /** As a production host does it, with what the registry and the lock file give. */
  async installForProduction(): Promise<void> {
    const command = PRODUCTION_INSTALL[this.manager];
    // Where one has a terminal, pnpm asks before it removes development packages.
    await this.start(command, { CI: 'true' }).succeeded();
    if (existsSync(join(this.folder, 'node_modules/typescript'))) throw new Error(`${command.join(' ')} has left development packages`);
  }

  /** `npm run dev` or `npm run start`. */
  async run(script: 'dev' | 'start', visit: (url: string) => Promise<void>, config = ONE_PROCESS): Promise<void> {
    const process = this.start([this.manager, 'run', script, ...(this.manager === 'npm' ? ['--'] : []), '--config', config]);
    await visit(await this.serving(process));
    await this.drained(process, 'SIGINT');
  }

  /** The engine by itself, and the built Steps in a process that knows only its address. */
  async runSeparately(visit: (url: string) => Promise<void>): Promise<void> {
    const engine = this.start(['npx', 'treadle-engine', '--config', ENGINE_ALONE], { ENGINE_TOKEN: TOKEN });
    const { http = '', 'worker-tcp': channel = '' } = await this.addresses(engine);
    await waitUntil('a healthy engine', async () => (await request('GET', `${http}/health`).catch(() => undefined))?.status === 200, START_LIMIT_MS);
    if (await sampleAnswer(http, this.combination)) throw new Error('the engine serves Steps of its own');
    const program = this.combination.language === 'py' ? ['python3', 'dist/index_production.py'] as const : ['node', 'dist/index-production.js'] as const;
    const steps = this.start(program, { ENGINE_URL: channel, ENGINE_TOKEN: TOKEN });
    await this.answering(http, steps);
    await visit(http);
    const code = await steps.stop('SIGTERM');
    if (code !== 0) throw steps.failure(`ended with ${String(code)} after SIGTERM`);
    await this.drained(engine, 'SIGTERM');
  }

  private start(command: readonly [string, ...string[]], extra: NodeJS.ProcessEnv = {}): UserProcess {
    // What an engine of before has left must not be taken for the address of this one.
    if (extra['ENGINE_URL'] === undefined) rmSync(join(this.folder, 'data/engine.json'), { force: true });
    return new UserProcess({ command, cwd: this.folder, env: { ...this.env, PORT: '0', STREAM_PORT: '0', CONSOLE_PORT: '0', ...extra } });
  }

  private async serving(process: UserProcess): Promise<string> {
    const { http = '' } = await this.addresses(process);
    await this.answering(http, process);
    return http;
  }

  private async answering(url: string, process: UserProcess): Promise<void> {
    await waitUntil(`the sample endpoint of ${this.folder}`, () => {
      if (process.ended) throw process.failure('ended');
      return sampleAnswer(url, this.combination);
    }, START_LIMIT_MS).catch((error: Error) => { throw process.failure(error.message); });
  }

  private async addresses(process: UserProcess): Promise<Readonly<Record<string, string>>> {
    const file = join(this.folder, 'data/engine.json');
    return waitUntil('the address of the engine', () => {
      if (process.ended) throw process.failure('ended');
      const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
      const { addresses } = (text.endsWith('}') || text.endsWith('}\n') ? JSON.parse(text) : {}) as { addresses?: Record<string, string> };
      return addresses?.['http'] ? addresses : undefined;
    }, START_LIMIT_MS).catch((error: Error) => { throw process.failure(error.message); });
  }

  /** npm ends by the signal itself, so the engine's own last word counts. */
  private async drained(engine: UserProcess, signal: NodeJS.Signals): Promise<void> {
    await engine.stop(signal);
    if (!/^stopped in \d+ ms$|"engine stopped".*"drained":true/m.test(engine.output)) throw engine.failure(`did not stop by itself after ${signal}`);
  }
}
