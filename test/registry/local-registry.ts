import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { freePort } from '@treadle/testing';
import { cleanEnvironment } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { verdaccioConfig } from './verdaccio-config.js';

const START_LIMIT_MS = 60_000;

/** An npm registry of this process alone: on 127.0.0.1, its packages in a temporary folder, everything else passed on. */
export class LocalRegistry {
  private constructor(readonly url: string, private readonly token: string, private readonly child: ChildProcess) {}

  /** Starts verdaccio on a free port and makes an account in it. */
  static async start(): Promise<LocalRegistry> {
    const folder = tempFolder();
    const url = `http://127.0.0.1:${await freePort()}/`;
    writeFileSync(join(folder, 'config.yaml'), verdaccioConfig(join(folder, 'storage')));
    let output = '';
    const child = spawn(process.execPath, [verdaccioProgram(), '--config', join(folder, 'config.yaml'), '--listen', url], {
      cwd: folder, env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => { output += text; });
    await waitUntil('the registry', async () => {
      if (child.exitCode !== null) throw new Error(`verdaccio ended:\n${output}`);
      return (await request('GET', `${url}-/ping`).catch(() => undefined))?.status === 200;
    }, START_LIMIT_MS);
    return new LocalRegistry(url, await createAccount(url), child);
  }

  /**
   * The environment of somebody with a fresh machine: a home, a cache and a prefix of their own below `folder`, and npm set
   * to this registry. With `publisher` npm may also publish.
   */
  environment(folder: string, { publisher = false } = {}): NodeJS.ProcessEnv {
    const home = join(folder, publisher ? 'publisher' : 'home');
    mkdirSync(home, { recursive: true });
    const lines = [`registry=${this.url}`, 'audit=false', 'fund=false', 'update-notifier=false'];
    if (publisher) lines.push(`${this.url.replace('http:', '')}:_authToken=${this.token}`);
    writeFileSync(join(home, '.npmrc'), `${lines.join('\n')}\n`);
    return {
      ...cleanEnvironment(), HOME: home, npm_config_userconfig: join(home, '.npmrc'),
      npm_config_cache: join(home, 'cache'), npm_config_prefix: join(home, 'prefix'),
    };
  }

  /** What the registry knows of a package; undefined when it has none. */
  async packument(name: string): Promise<Packument | undefined> {
    const { status, json } = await request('GET', `${this.url}${name.replace('/', '%2f')}`);
    return status === 200 ? json as Packument : undefined;
  }

  async stop(): Promise<void> {
    running.delete(this.child);
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}

export interface Packument {
  readonly 'dist-tags': Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, unknown>>;
}

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

async function createAccount(url: string): Promise<string> {
  const account = { name: 'publisher', password: 'publishes-for-tests' };
  const { status, json } = await request('PUT', `${url}-/user/org.couchdb.user:publisher`, account);
  const token = (json as { token?: string } | undefined)?.token;
  if (!token) throw new Error(`the registry made no account: ${status}`);
  return token;
}

function verdaccioProgram(): string {
  return join(dirname(createRequire(import.meta.url).resolve('verdaccio/package.json')), 'bin/verdaccio');
}
