import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@treadle/testing';
import { request } from '../../support/http-client.js';
import { tempFolder, writeFiles } from '../../support/temp-folder.js';
import { waitUntil } from '../../support/wait-until.js';
import type { Balancer } from './balancer.js';

/** A few checks long. */
const SETTLE_MS = 500;

/** Whether the program is there. */
export const hasHaproxy = (program: string): boolean => spawnSync(program, ['-v']).status === 0;

/** HAProxy before the engines, as an operator would set it up for them. */
export class Haproxy implements Balancer {
  private output = '';

  private constructor(private readonly child: ChildProcess, readonly url: string, private readonly statistics: string) {
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => { this.output += text; });
  }

  static async start(program: string, ports: readonly number[]): Promise<Haproxy> {
    const folder = tempFolder();
    const [port, statistics] = [await freePort(), await freePort()];
    writeFiles(folder, { 'haproxy.cfg': configuration(port, statistics, ports) });
    const child = spawn(program, ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: ['ignore', 'pipe', 'pipe'] });
    const haproxy = new Haproxy(child, `http://127.0.0.1:${port}`, `http://127.0.0.1:${statistics}`);
    await haproxy.allUp();
    return haproxy;
  }

  async allUp(): Promise<void> {
    await waitUntil('all engines behind HAProxy', async () => {
      if (this.child.exitCode !== null) throw new Error(`HAProxy ended:\n${this.output}`);
      const answer = await request('GET', `${this.statistics}/;csv`).catch(() => undefined);
      const engines = answer?.text.split('\n').filter((line) => line.startsWith('engines,engine')) ?? [];
      return engines.length > 0 && engines.every((line) => line.split(',')[17] === 'UP');
    });
    await sleep(SETTLE_MS);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }
}

const configuration = (port: number, statistics: number, ports: readonly number[]): string => `defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout check 5s
  option redispatch
frontend clients
  bind 127.0.0.1:${port}
  default_backend engines
backend engines
  balance roundrobin
  option httpchk GET /health
  http-check expect status 200
${ports.map((one) => `  server engine${one} 127.0.0.1:${one} check inter 100ms fall 1 rise 1`).join('\n')}
frontend statistics
  bind 127.0.0.1:${statistics}
  stats enable
  stats uri /
`;
