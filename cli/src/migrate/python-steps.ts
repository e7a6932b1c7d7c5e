import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { CLI_ROOT } from '../version.js';
import { mapLine } from './line-map.js';
import type { Rewritten } from './migration.js';

const PROGRAM = join(CLI_ROOT, 'python', 'migrate_steps');

/** A Python file: its name relative to the application's folder, and its text. */
export interface PythonSource {
  readonly name: string;
  readonly text: string;
}

interface Answer {
  readonly text: string;
  readonly notes: readonly { readonly line: number; readonly reason: string; readonly remedy: string; readonly before: string }[];
}

/** Whether a file may hold anything of the family's, told without parsing it. */
export function mayBePythonOfFamily({ name, text }: PythonSource): boolean {
  return /[._](?:step|stream)\.py$/.test(name) || /^\s*(?:from|import)\s+motia/m.test(text);
}

/**
 * Files in the form of this runtime, in the order given; Python's own parser says what is where. `root` is the application's folder, whose
 * virtual environment is used.
 * @throws Error when there is no interpreter that will do, with the reason for people
 */
export async function migratePython(root: string, sources: readonly PythonSource[]): Promise<readonly Rewritten[]> {
  const { findPython } = await import('@treadle/runtime-python');
  const python = await findPython({ root });
  if ('problem' in python) throw new Error(python.problem);
  const answers = JSON.parse(await run(python.command, JSON.stringify(sources))) as readonly Answer[];
  return answers.map(({ text, notes }, index) => ({
    text, notes: notes.map(({ line, reason, remedy, before }) => ({ line: mapLine(before, line, sources[index]?.text ?? ''), reason, remedy })),
  }));
}

function run(command: string, input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // Without file handles for them it has no pipes: `error` says so.
    const child: ChildProcess = spawn(command, ['-I', '-B', PROGRAM], { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(Buffer.concat(output).toString('utf8'));
      else reject(new Error(`${command} failed: ${Buffer.concat(errors).toString('utf8').trim().split('\n').at(-1) ?? ''}`));
    });
    child.stdin?.on('error', () => undefined); // it died before it could read; its end says why
    child.stdin?.end(input);
  });
}
