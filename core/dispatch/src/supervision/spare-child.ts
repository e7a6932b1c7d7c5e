import type { ChildProcess as NodeChild } from 'node:child_process';

/** Keeps one process that has booted and waits for its first line. */
export class SpareChild {
  private spare: NodeChild | undefined;

  constructor(private readonly launch: () => NodeChild) {}

  /** Boots one, unless there is one. */
  refill(): void {
    if (this.spare) return;
    let spare: NodeChild;
    try {
      spare = this.spare = this.launch();
    } catch {
      return; // the system cannot start one now; whoever needs one will say so
    }
    // Whatever ends it: it is not there any more, and the next one begins anew.
    const forget = (): void => { if (this.spare === spare) this.spare = undefined; };
    spare.on('error', forget);
    spare.on('exit', forget);
    spare.stdin?.on('error', () => undefined); // it is gone; `exit` says so
  }

  /** The spare process, else a new one. */
  take(): NodeChild {
    const { spare } = this;
    this.spare = undefined;
    return spare ?? this.launch();
  }

  /** Ends it. */
  drop(): void {
    // One that was not started has no pid; a signal would reach the group of this process.
    if (this.spare?.pid !== undefined) this.spare.kill('SIGKILL');
    this.spare = undefined;
  }
}
