import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const CLI = fileURLToPath(new URL('..', import.meta.url));
/** The built program. */
export const BIN = join(CLI, 'bin', 'run.js');
const WORKSPACE_MODULES = join(CLI, '..', 'node_modules');
const GOLDEN = join(CLI, 'src', 'golden');

/** What a finished command left. */
export interface CommandOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandSurroundings {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Program instead of the built one. */
  readonly bin?: string;
}

/** Starts the program as a user would, without a terminal. */
export function startCli(args: readonly string[], { cwd, env, bin = BIN }: CommandSurroundings): ChildProcess {
  const { NODE_OPTIONS: _tsx, npm_config_user_agent: _agent, ...rest } = process.env;
  return spawn(process.execPath, [bin, ...args], { cwd, env: { ...rest, STREAM_PORT: '0', CONSOLE_PORT: '0', ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Runs the program to its end. */
export function runCli(args: readonly string[], surroundings: CommandSurroundings): Promise<CommandOutcome> {
  const child = startCli(args, surroundings);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => { stdout += chunk.toString('utf8'); });
  child.stderr?.on('data', (chunk: Buffer) => { stderr += chunk.toString('utf8'); });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** Only against hanging: a machine that has much else to do may take long for anything. */
const PATIENCE_MS = 60_000;

/** Looks every 50 ms until something holds; `shown` goes into the failure. */
export async function until(holds: () => boolean | Promise<boolean>, shown: () => string = () => ''): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !await holds();) {
    if (performance.now() > end) throw new Error(`it did not happen within ${PATIENCE_MS} ms:\n${shown()}`);
    await wait(50);
  }
}

/** A fresh folder with these files whose packages are those of the workspace; remove it with `removeApp`. */
export function makeApp(files: Readonly<Record<string, string>> = {}, options: { readonly modules?: boolean } = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'treadle-cli-')));
  if (options.modules !== false) symlinkSync(WORKSPACE_MODULES, join(folder, 'node_modules'));
  addFiles(folder, files);
  return folder;
}

/** Writes files below a folder, with the folders that they need. */
export function addFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

export function removeApp(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Compares a text with `golden/<name>`; `UPDATE_GOLDEN=1` rewrites the file. The application's folder and the packages'
 * version do not belong to it.
 */
export function expectGolden(name: string, text: string, folder?: string): void {
  const file = join(GOLDEN, name);
  const local = (folder === undefined ? text : text.replaceAll(folder, '<app>')).replaceAll('0.1.0', '<version>');
  if (process.env['UPDATE_GOLDEN']) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, local);
  }
  expect(existsSync(file), `${file} exists; UPDATE_GOLDEN=1 writes it`).to.equal(true);
  expect(local).to.equal(readFileSync(file, 'utf8'));
}

/** Does something as a user whom permissions bind: root reads what it likes. */
export async function asOrdinaryUser<T>(act: () => T | Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return act();
  process.seteuid?.(65_534);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
  }
}
