import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@treadle/testing';
import { ROOT } from '../architecture/workspace.js';
import { cleanEnvironment } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { tempFolder, writeFiles } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { fencesOf, type Fence } from './markdown.js';
import { isShown } from './shown-output.js';

const PORTS = { PORT: 3111, STREAM_PORT: 3112, CONSOLE_PORT: 3113, WORKER_PORT: 3110 };
const CLI = join(ROOT, 'cli/bin/run.js');
/** Commands that go on until Ctrl-C, perhaps with variables in front. */
const STAYS = /^(?:\w+=\S+ )*(?:npm run dev|npm start|npx treadle (?:dev|start))\b/;

/** What a page shows is not what came out. */
export interface Mismatch {
  readonly fence: Fence;
  /** Of each attempt. */
  readonly outputs: readonly string[];
}

/**
 * Follows a page as its reader does, in an empty folder: writes the files that it shows, types its commands, and compares
 * what they print with the `text` that follows. `sh elsewhere` needs what a test does not have; `text dev` is in the
 * terminal of the command that goes on.
 */
export class PageSession {
  readonly mismatches: Mismatch[] = [];
  private readonly ports = new Map<number, number>();
  private running: ChildProcess | undefined;
  private terminal = '';

  constructor(private readonly page: string, private folder = tempFolder()) {}

  async follow(): Promise<void> {
    for (const port of Object.values(PORTS)) this.ports.set(port, await freePort());
    const fences = fencesOf(this.page);
    for (const [index, fence] of fences.entries()) {
      const next = fences[index + 1];
      await this.take(fence, next?.language === 'text' && next.name === '' ? next : undefined);
    }
  }

  /** As Ctrl-C does. */
  async stop(): Promise<void> {
    const ending = this.running;
    this.running = undefined;
    if (ending?.pid === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = once(ending, 'exit');
    process.kill(-ending.pid, 'SIGINT');
    await ended;
  }

  private async take(fence: Fence, shown: Fence | undefined): Promise<void> {
    if (fence.language === 'text' && fence.name === 'dev') return this.compare(fence, () => this.terminal);
    if (fence.language === 'sh') return fence.name === 'elsewhere' ? undefined : this.type(fence, shown);
    if (fence.name !== '' && fence.name !== 'dev') writeFiles(this.folder, { [fence.name]: fence.text });
  }

  private async type(fence: Fence, shown: Fence | undefined): Promise<void> {
    const commands = fence.text.trim();
    if (commands.startsWith('npx treadle create ')) return this.create(commands);
    const [first = '', ...others] = commands.split('\n');
    if (!STAYS.test(first)) return this.finish(fence, commands, shown);
    await this.start(first);
    if (others.length > 0) return this.finish(fence, others.join('\n'), shown);
    return shown && this.compare(shown, () => this.terminal);
  }

  /** Commands that end; they must succeed where nothing that they print is shown. */
  private async finish(fence: Fence, commands: string, shown: Fence | undefined): Promise<void> {
    if (shown) return this.compare(shown, async () => (await this.run(commands)).output);
    const { failed, output } = await this.run(commands);
    if (failed) this.mismatches.push({ fence, outputs: [output] });
  }

  /** Packages are those of this repository. */
  private async create(commands: string): Promise<void> {
    const [line = '', change = ''] = commands.split('\n');
    const args = line.split(' ').slice(2);
    await promisify(execFile)(process.execPath, [CLI, ...args, '--no-install'], { cwd: this.folder, env: cleanEnvironment() });
    this.folder = join(this.folder, change.replace('cd ', ''));
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'), 'dir');
  }

  private async start(command: string): Promise<void> {
    await this.stop();
    this.terminal = '';
    this.running = spawn('sh', ['-c', command.replace(STAYS, 'exec env $&')], { cwd: this.folder, env: this.environment(), detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.running.stdout, this.running.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => { this.terminal += this.told(text); });
    }
    const health = this.asked('http://127.0.0.1:3111/health');
    await waitUntil(`"${command}" to serve`, async () => (await request('GET', health).catch(() => undefined))?.status === 200, 60_000);
  }

  private async run(commands: string): Promise<{ readonly failed: boolean; readonly output: string }> {
    const ran = promisify(execFile)('sh', ['-ec', this.asked(commands)], { cwd: this.folder, env: this.environment(), timeout: 60_000 });
    const ended = await ran.then((printed) => ({ ...printed, failed: false }),
      ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) => ({ stdout, stderr, failed: true }));
    return { failed: ended.failed, output: this.told(`${ended.stdout}${ended.stderr}`) };
  }

  /** A saved Step is swapped in a moment later, so a command is typed again until it prints what is shown. */
  private async compare(shown: Fence, look: () => string | Promise<string>): Promise<void> {
    const outputs: string[] = [];
    const matches = async (): Promise<boolean> => {
      outputs.push(await look());
      return isShown(shown.text, outputs.at(-1) ?? '');
    };
    await waitUntil(shown.text, matches).catch(() => this.mismatches.push({ fence: shown, outputs }));
  }

  private environment(): NodeJS.ProcessEnv {
    const ports = Object.entries(PORTS).map(([name, port]) => [name, String(this.ports.get(port))]);
    const quiet = { NO_COLOR: '1', NPM_CONFIG_USERCONFIG: '/dev/null', NPM_CONFIG_UPDATE_NOTIFIER: 'false' };
    return { ...cleanEnvironment(), ...Object.fromEntries(ports) as Record<string, string>, ...quiet };
  }

  /** Ports of the page → of this session. */
  private asked(text: string): string {
    return [...this.ports].reduce((rest, [shown, taken]) => rest.replaceAll(`127.0.0.1:${shown}`, `127.0.0.1:${taken}`), text);
  }

  /** And back; the folder is the reader's own. */
  private told(text: string): string {
    return [...this.ports].reduce((rest, [shown, taken]) => rest.replaceAll(`:${taken}`, `:${shown}`), text).replaceAll(this.folder, '/srv/shop');
  }
}
