import { type ChildProcess, spawn } from 'node:child_process';
import { WORKER_MAIN } from '@treadle/worker/worker-main';

/** How a Step process is started. */
export interface Launch {
  readonly program: string;
  /** Options of Node itself. */
  readonly nodeOptions: readonly string[];
  readonly cwd: string;
}

/** The engine's own secrets: a Step has no business with them. @source product specification, section 10 */
const WITHHELD = ['ENGINE_TOKEN', 'ADMIN_TOKEN'];
/** A spare process that nobody wanted is let go after this long; milliseconds. */
const SPARE_MS = 5_000;

let spare: { readonly launch: Launch; readonly process: ChildProcess } | undefined;

/**
 * Starts a Step process before the engine knows that it needs one, so that it boots while the configuration is read. It
 * waits for its first line. The first process that is wanted in the current directory and with no Node options is this
 * one. Returns it for tests.
 */
export function bootSpare(): ChildProcess {
  const launch = { program: WORKER_MAIN, nodeOptions: [], cwd: process.cwd() };
  const child = launchProcess(launch);
  child.on('error', () => undefined);
  spare = { launch, process: child };
  setTimeout(() => dropSpare(child), SPARE_MS).unref();
  return child;
}

/** Ends the spare process unless it is in use; without an argument whichever there is. */
export function dropSpare(which = spare?.process): void {
  if (!spare || spare.process !== which) return;
  spare.process.kill('SIGKILL');
  spare = undefined;
}

/** The spare process when it is what is asked for, else a new one. */
export function startProcess(launch: Launch): ChildProcess {
  const found = spare;
  if (!found || !serves(found, launch)) return launchProcess(launch);
  spare = undefined;
  return found.process;
}

function serves({ launch: { program, cwd }, process: { pid, exitCode, signalCode } }: NonNullable<typeof spare>, asked: Launch): boolean {
  const alive = pid !== undefined && exitCode === null && signalCode === null;
  return alive && program === asked.program && cwd === asked.cwd && asked.nodeOptions.length === 0;
}

function launchProcess({ program, nodeOptions, cwd }: Launch): ChildProcess {
  const env = { ...process.env };
  for (const name of WITHHELD) delete env[name];
  return spawn(process.execPath, [...nodeOptions, program], {
    cwd, env, stdio: 'pipe',
    // A group of its own: Ctrl-C at a terminal is for the engine, which drains its workers itself.
    detached: process.platform !== 'win32',
  });
}
