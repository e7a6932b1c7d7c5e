import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Something that runs jobs of a bench and says what it measured. */
export interface Contestant {
  run<T>(job: string, options: Readonly<Record<string, unknown>>): Promise<T>;
  stop(): Promise<void>;
}

/** A peer in a process of its own: `peers/<script>`. @throws Error when it does not start */
export async function startPeer(script: string, ...args: readonly string[]): Promise<Contestant> {
  const program = fileURLToPath(new URL(`../peers/${script}`, import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'], env: { PATH: process.env['PATH'], NODE_ENV: 'production' } });
  const lines = linesOf(child);
  await lines.next();
  return {
    run: async (job, options) => {
      child.stdin?.write(`${JSON.stringify({ job, ...options })}\n`);
      const answer = JSON.parse(await lines.next()) as { error?: string };
      if (answer.error) throw new Error(`${script}: ${answer.error}`);
      return answer as never;
    },
    stop: async () => {
      const ended = once(child, 'exit');
      if (child.kill('SIGKILL')) await ended;
    },
  };
}

function linesOf(child: ChildProcess): { next(): Promise<string> } {
  if (!child.stdout) throw new Error('a peer has no output');
  const waiting: { resolve(line: string): void; reject(error: Error): void }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.resolve(line));
  child.once('exit', (code) => { for (const one of waiting.splice(0)) one.reject(new Error(`a peer ended with ${code}`)); });
  return { next: () => new Promise((resolve, reject) => void waiting.push({ resolve, reject })) };
}
