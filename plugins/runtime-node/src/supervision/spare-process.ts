import type { ChildProcess } from 'node:child_process';
import type { Environment } from '@treadle/api';
import { startStepProcess } from '@treadle/dispatch/supervision';
import { withoutEngineSecrets } from '@treadle/worker/engine-secrets';
import { type Launch, likelyProgram } from './step-program.js';

/** A spare process that nobody wanted is let go after this long; milliseconds. */
const SPARE_MS = 5_000;

/** `variables`: how many it was given. */
let spare: { readonly launch: Launch; readonly process: ChildProcess; readonly variables: number } | undefined;

/**
 * Starts a Step process before the engine knows that it needs one, so that it boots while the configuration is read. It
 * waits for its first line. The first process that is wanted in the current directory and with no Node options is this
 * one. Returns it for tests; nothing when the system cannot start one now.
 */
export function bootSpare(env: Environment): ChildProcess | undefined {
  const cwd = process.cwd();
  const launch = { ...likelyProgram(cwd), nodeOptions: [], cwd, env };
  let child: ChildProcess;
  try {
    child = launchProcess(launch);
  } catch {
    return undefined;
  }
  child.on('error', () => undefined);
  spare = { launch, process: child, variables: variablesOfSteps(env) };
  setTimeout(() => dropSpare(child), SPARE_MS).unref();
  return child;
}

/** Ends the spare process unless it is in use; without an argument whichever there is. */
export function dropSpare(which = spare?.process): void {
  if (!spare || spare.process !== which) return;
  // One that was not started has no pid; a signal would reach the group of this process.
  if (spare.process.pid !== undefined) spare.process.kill('SIGKILL');
  spare = undefined;
}

/** The spare process when it is what is asked for, else a new one. */
export function startProcess(launch: Launch): ChildProcess {
  const found = spare;
  if (!found || !serves(found, launch)) return launchProcess(launch);
  spare = undefined;
  return found.process;
}

/** The configuration may have told of variables that hold the engine's tokens: a process that was given them is none for Steps. */
const variablesOfSteps = (env: Environment): number => Object.keys(withoutEngineSecrets(env)).length;

function serves({ launch: { program, cwd }, process: { pid, exitCode, signalCode }, variables }: NonNullable<typeof spare>, asked: Launch): boolean {
  const alive = pid !== undefined && exitCode === null && signalCode === null;
  return alive && variables <= variablesOfSteps(asked.env) && program === asked.program && cwd === asked.cwd && asked.nodeOptions.length === 0;
}

function launchProcess({ program, args, nodeOptions, cwd, env }: Launch): ChildProcess {
  return startStepProcess({ command: process.execPath, args: [...nodeOptions, program, ...args], cwd, env });
}
