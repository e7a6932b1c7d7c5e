import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** A program that is run to its end. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What it prints goes to stderr: stdout is for a document. */
  readonly quiet: boolean;
  /** Gets what it prints to stderr, too. */
  readonly onError?: (text: string) => void;
}

/** Resolves to the program's exit code, 128 + n after signal n. Ctrl-C reaches the program by itself, SIGTERM is passed on. */
export async function runProgram({ command, args, cwd, env, quiet, onError }: Program): Promise<number> {
  const child = spawn(command, args, { cwd, env: { ...env }, stdio: ['inherit', quiet ? process.stderr : 'inherit', onError ? 'pipe' : 'inherit'] });
  const ignore = (): void => undefined;
  const passOn = (): void => void child.kill('SIGTERM');
  process.on('SIGINT', ignore).on('SIGTERM', passOn);
  try {
    child.stderr?.on('data', (chunk: Buffer) => {
      process.stderr.write(chunk);
      onError?.(chunk.toString());
    });
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
    });
  } finally {
    process.off('SIGINT', ignore).off('SIGTERM', passOn);
  }
}
