import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

/** The executable under test. */
export const BIN = fileURLToPath(new URL('../../bin/treadle-engine.js', import.meta.url));
const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url));

/** What an ended process leaves. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `treadle-engine` as a child process. */
export class EngineProcess {
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;
  private readonly child: ChildProcessByStdio<null, Readable, Readable>;

  constructor(args: readonly string[], cwd: string, env: Record<string, string> = {}) {
    this.child = spawn(process.execPath, [BIN, ...args], {
      cwd, env: { PATH: process.env['PATH'], STREAM_PORT: '0', CONSOLE_PORT: '0', ...env }, stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => { this.stdout += text; });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => { this.stderr += text; });
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code) => resolve({ code, stdout: this.stdout, stderr: this.stderr }));
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Every JSON line of the log so far. */
  get lines(): Record<string, unknown>[] {
    const whole = this.stdout.slice(0, this.stdout.lastIndexOf('\n') + 1);
    return whole.split('\n').filter(Boolean).map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** The first line with this message, as soon as it is there. Fails when the process ends before. */
  async line(message: string, after = 0): Promise<Record<string, unknown>> {
    let ended: Ended | undefined;
    void this.ended.then((end) => { ended = end; });
    for (;;) {
      const found = this.lines.filter((line) => line['message'] === message)[after];
      if (found) return found;
      if (ended) throw new Error(`exit ${ended.code} before "${message}":\n${ended.stdout}${ended.stderr}`);
      await wait(10);
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  closeStdout(): void {
    this.child.stdout.destroy();
  }
}

/** A folder with configurations and the engines started in it; `remove` ends what still runs. */
export class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'treadle-e2e-'));
  private readonly engines: EngineProcess[] = [];

  write(name: string, text: string): string {
    writeFileSync(join(this.folder, name), text);
    return name;
  }

  /** Step files in `steps/`; one as each name says. */
  writeSteps(files: Readonly<Record<string, string>>): void {
    mkdirSync(join(this.folder, 'steps'));
    for (const [name, text] of Object.entries(files)) this.write(join('steps', name), text);
  }

  /** Text of a configuration that loads the probe plugin and nothing implicit. */
  probeText(modules: string, engine = ''): string {
    return `plugins:\n  - ${this.probe}\nengine:\n  implicit_modules: false\n${engine}modules:\n${modules}`;
  }

  writeProbes(modules: string, engine = ''): string {
    return this.write('config.yaml', this.probeText(modules, engine));
  }

  /** The probe plugin as `plugins:` names it. */
  get probe(): string {
    return relative(this.folder, join(FIXTURES, 'acme-probe'));
  }

  start(args: readonly string[], env?: Record<string, string>): EngineProcess {
    const engine = new EngineProcess(args, this.folder, env);
    this.engines.push(engine);
    return engine;
  }

  /** Starts an engine in a folder of its own with these files. */
  startIn(name: string, files: Readonly<Record<string, string>>, args: readonly string[]): EngineProcess {
    const folder = join(this.folder, name);
    mkdirSync(folder);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    const engine = new EngineProcess(args, folder);
    this.engines.push(engine);
    return engine;
  }

  run(args: readonly string[], env?: Record<string, string>): Promise<Ended> {
    return this.start(args, env).ended;
  }

  async remove(): Promise<void> {
    for (const engine of this.engines) engine.signal('SIGKILL');
    await Promise.all(this.engines.map((engine) => engine.ended));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Compares with a golden file; `UPDATE_GOLDEN=1` rewrites it. */
export function expectGolden(name: string, text: string): void {
  const file = join(FIXTURES, 'golden', name);
  if (process.env['UPDATE_GOLDEN']) writeFileSync(file, text);
  expect(text).to.equal(readFileSync(file, 'utf8'));
}

/** Text of a fixture. */
export function fixture(name: string): string {
  return readFileSync(join(FIXTURES, name), 'utf8');
}
