import { spawn, spawnSync } from 'node:child_process';

/** Standard output of a program, trimmed. @throws Error with what it said when it fails. */
export function output(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 });
  if (error || status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? (stderr.trim() || `ended with ${status}`)}`);
  return stdout.trim();
}

/** Runs a shell command on this terminal. @throws Error when it fails. */
export async function run(command: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const child = spawn(command, { shell: true, stdio: 'inherit', env: { ...process.env, ...env } });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject).once('exit', (status, signal) => resolve(status ?? signal));
  });
  if (code !== 0) throw new Error(`"${command}" ended with ${String(code)}`);
}
