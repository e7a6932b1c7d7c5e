import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@treadle/testing';
import { tempFolder } from './temp-folder.js';
import { waitUntil } from './wait-until.js';

/** An MQTT broker of its own, on a free port of this machine. */
export class Mosquitto {
  private constructor(readonly url: string, private readonly server: ChildProcess, private readonly folder: string) {}

  static get isInstalled(): boolean {
    return spawnSync('mosquitto', ['-h']).error === undefined;
  }

  static async start(): Promise<Mosquitto> {
    const folder = tempFolder();
    const port = await freePort();
    writeFileSync(join(folder, 'mosquitto.conf'), `listener ${port} 127.0.0.1\nallow_anonymous true\n`);
    const server = spawn('mosquitto', ['-c', join(folder, 'mosquitto.conf')], { stdio: 'ignore' });
    await waitUntil('Mosquitto', () => answers(port));
    return new Mosquitto(`mqtt://127.0.0.1:${port}`, server, folder);
  }

  async stop(): Promise<void> {
    if (this.server.exitCode === null && this.server.signalCode === null) {
      this.server.kill('SIGKILL');
      await once(this.server, 'exit');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
