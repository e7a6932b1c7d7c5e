import type { ChildProcess as NodeChild } from 'node:child_process';
import type { StepFile } from '@treadle/protocol';
import { ChildProcess } from './child-process.js';
import type { ProcessHost, ProcessStatus, SupervisedSession, SupervisionClock, SupervisionTimer } from './process-host.js';
import { HEALTHY_MS, RestartPolicy } from './restart-policy.js';

export interface SupervisedWorkerOptions {
  /** From 0. */
  readonly worker: number;
  /** Name of the runtime. */
  readonly runtime: string;
  /** Starts a process. */
  readonly launch: () => NodeChild;
  /** Further members of the first line on its standard input. */
  readonly start: Readonly<Record<string, unknown>>;
  readonly clock: SupervisionClock;
  readonly host: ProcessHost;
}

/** Longest time from the start of a process to its first registration; milliseconds. */
const CONNECT_MS = 30_000;
/** How long a process may live on without its session; milliseconds. */
const ORPHAN_MS = 2_000;

/** One place for a worker process: starts it, starts it again whenever it ends, and ends it for good. */
export class SupervisedWorker {
  private readonly policy = new RestartPolicy();
  private child: ChildProcess | undefined;
  private session: SupervisedSession | undefined;
  private files: readonly StepFile[] = [];
  private state: ProcessStatus['state'] = 'stopped';
  private generation = 0;
  private restarts = 0;
  private settled = false;
  private retired = false;
  /** The one thing that is waited for: a restart, a connection, an end or lasting health. */
  private timer: SupervisionTimer | undefined;

  constructor(private readonly options: SupervisedWorkerOptions) {}

  get status(): ProcessStatus {
    const { state, restarts, settled } = this;
    return { worker: this.options.worker, pid: this.child?.pid, state, restarts, settled };
  }

  start(files: readonly StepFile[]): void {
    this.files = files;
    this.spawn();
  }

  /** Serves these files from now on. New content ends the wait of a worker that crashed with the old one. */
  update(files: readonly StepFile[]): void {
    this.files = files;
    if (this.session) return this.session.load(files);
    if (this.child || this.retired) return undefined;
    this.policy.reset();
    return this.spawn();
  }

  /** Ends the process: its handlers have until `deadlineMs` from now. It is not started again. */
  async retire(deadlineMs: number): Promise<void> {
    this.retired = true;
    this.timer?.cancel();
    const { child, session } = this;
    if (!child) return this.become('stopped');
    session?.drain(deadlineMs);
    // Without a session there is nothing that it could finish.
    await child.end(session ? deadlineMs : 0);
  }

  private spawn(): void {
    const { worker, runtime, launch, start, clock, host } = this.options;
    const { socketUrl, token, root, mode } = host;
    const childId = `${runtime}-${worker}-${++this.generation}`;
    host.expectChild(childId, {
      onHello: (session) => this.connected(session),
      onRegistered: () => this.registered(),
      onLost: () => this.disconnected(),
      onUnresponsive: () => this.child?.kill('unresponsive for 15 s'),
    });
    this.child = new ChildProcess({
      launch, clock, start: { ...start, socketUrl, token, childId, root, mode },
      onLine: (line, stream) => host.output(line, stream, childId),
      onExit: (reason, output) => this.exited(reason, output),
    });
    this.await(CONNECT_MS, () => this.child?.kill('did not register its Steps in 30 s'));
    this.become(this.policy.looping ? 'crash_looping' : 'starting');
  }

  private connected(session: SupervisedSession): void {
    this.session = session;
    session.load(this.files);
  }

  private registered(): void {
    if (this.retired || this.state === 'ready') return;
    this.settled = true;
    this.await(HEALTHY_MS, () => {
      this.policy.reset();
      this.become('ready');
    });
    // One that has crashed again and again has to last before it counts as well.
    if (!this.policy.looping) this.become('ready');
  }

  private disconnected(): void {
    this.session = undefined;
    if (this.child && !this.retired) this.await(ORPHAN_MS, () => this.child?.kill('it lost its connection to the engine'));
  }

  private exited(reason: string, output: string): void {
    const pid = this.child?.pid;
    this.child = this.session = undefined;
    this.timer?.cancel();
    if (this.retired) return this.become('stopped');
    const { host, runtime, worker } = this.options;
    const restartMs = this.policy.crashed();
    const { looping } = this.policy;
    this.settled ||= looping;
    this.restarts++;
    this.state = looping ? 'crash_looping' : 'restarting';
    this.await(restartMs, () => this.spawn());
    host.reportCrash({ runtime, worker, pid, reason, output, crashLooping: looping, restartMs });
    return undefined;
  }

  private await(ms: number, task: () => void): void {
    this.timer?.cancel();
    this.timer = this.options.clock.after(ms, task);
  }

  private become(state: ProcessStatus['state']): void {
    this.state = state;
    this.options.host.statusChanged();
  }
}
