import { startParentWatch, StepRunner, type RunnerHost } from '@treadle/worker';
import type { ProbeMessage, ProbeTask } from './probe-messages.js';

/** Importing a Step runs no handler. */
const host: RunnerHost = { log: () => undefined };

async function probe({ root, esbuild, files }: ProbeTask): Promise<void> {
  const runner = new StepRunner({ root, mode: 'development', host, esbuild });
  for (const file of files) {
    await say({ kind: 'loading', file: file.file });
    const reports = await runner.load([file]);
    for (const report of reports) if (report.file === file.file) await say({ kind: 'report', report });
  }
  process.disconnect();
}

/** Resolves once the parent's side has the message: an import that ends the process must not swallow it. */
function say(message: ProbeMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, (error: Error | null) => (error ? reject(error) : resolve()));
  });
}

// Without the command that asked there is nobody to report to. A file that blocks this thread keeps it from hearing so.
startParentWatch({ pid: process.pid, parent: process.ppid });
process.once('disconnect', () => process.exit(0));
process.once('message', (task: ProbeTask) => {
  probe(task).then(
    // A Step file may have left timers or sockets behind; there is nothing to wait for.
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(70);
    },
  );
});
