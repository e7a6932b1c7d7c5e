import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A program of the tests in a process of its own that answers questions, one at a time; `answerQuestions` is its other side. */
export class AskedProcess<Question extends object> {
  private readonly child: ChildProcess;

  /** `program`: path of a TypeScript file. */
  constructor(private readonly program: string) {
    this.child = fork(program, { execArgv: ['--import', 'tsx'] });
  }

  /** @throws Error with what the process said, or when it ended. */
  async ask<Answer>(question: Question): Promise<Answer> {
    const answered = new AbortController();
    const { signal } = answered;
    const answer = Promise.race([
      once(this.child, 'message', { signal }), once(this.child, 'exit', { signal }).then(() => [{ error: `${this.program} ended` }]),
    ]);
    this.child.send(question);
    try {
      const [{ value, error }] = await answer as [{ value?: unknown; error?: string }];
      if (error !== undefined) throw new Error(error);
      return value as Answer;
    } finally {
      answered.abort();
    }
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill();
    await exited;
  }
}

/** For the program of an `AskedProcess`: every question gets what `answer` resolves to. */
export function answerQuestions<Question>(answer: (question: Question) => unknown): void {
  process.on('message', (question: Question) => {
    Promise.resolve().then(() => answer(question)).then((value) => process.send?.({ value }), (error: Error) => process.send?.({ error: error.message }));
  });
  // Whoever asked is gone.
  process.once('disconnect', () => process.kill(process.pid));
}
