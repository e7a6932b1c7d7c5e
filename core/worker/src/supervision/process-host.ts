import type { StepFile, StepFileProblem } from '@treadle/protocol';

/*
 * What supervision needs of the engine. The engine's own types (`RuntimeHost`, `Clock`, … of @treadle/api) have all of it;
 * they are not named here, because this package also runs in Step processes and knows nothing of the engine.
 */

/** Waits; times in milliseconds. */
export interface SupervisionClock {
  after(ms: number, task: () => void): SupervisionTimer;
}

export interface SupervisionTimer {
  cancel(): void;
}

/** The session of a child. */
export interface SupervisedSession {
  load(files: readonly StepFile[]): void;
  drain(deadlineMs: number): void;
}

/** What the engine tells of a child. */
export interface SupervisedEvents {
  onHello(session: SupervisedSession): void;
  onRegistered(): void;
  onLost(reason: string): void;
  /** One of its handlers harms it: another process would keep the others serving. */
  onRelief(): void;
  onUnresponsive(): void;
}

/** The end of a process that nobody wanted. */
export interface ProcessCrash {
  readonly runtime: string;
  readonly worker: number;
  readonly pid: number | undefined;
  readonly reason: string;
  /** Last lines of stdout and stderr, at most 64 KB. */
  readonly output: string;
  readonly crashLooping: boolean;
  /** When it will be started again; milliseconds from now. */
  readonly restartMs: number;
}

/** Who wants the process. */
export interface ProcessHost {
  readonly root: string;
  readonly mode: 'development' | 'production';
  /** Where children connect: `ws+unix:` URL. */
  readonly socketUrl: string;
  readonly token: string;
  expectChild(childId: string, events: SupervisedEvents): void;
  reportCrash(crash: ProcessCrash): void;
  statusChanged(): void;
  /** These files are not served: each gets this as its diagnostic. */
  refuse(files: readonly StepFile[], problem: StepFileProblem): void;
  /** Output of a child outside any handler. */
  output(line: string, stream: 'stdout' | 'stderr', childId: string): void;
}

/** How a worker is. */
export interface ProcessStatus {
  readonly worker: number;
  readonly pid: number | undefined;
  readonly state: 'starting' | 'ready' | 'restarting' | 'crash_looping' | 'stopped';
  readonly restarts: number;
  /** True once it has registered its Steps for the first time, or is in a crash loop. */
  readonly settled: boolean;
}
