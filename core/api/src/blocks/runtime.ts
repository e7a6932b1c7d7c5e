import type { StepFile, StepFileProblem, StepFileReport } from '@treadle/protocol';
import type { Environment } from '../environment.js';
import type { Lifecycle } from '../lifecycle.js';
import type { Session, SessionHandle } from '../dispatch/sessions.js';
import { slot } from '../slot.js';

export type { CredentialScheme, GuardFacts, LoadedStep, StepFile, StepFileProblem, StepFileReport } from '@treadle/protocol';

/** A session that came through the gateway or from the in-process runtime. */
export interface RuntimeSession extends Session {
  /** Asks the worker to load these files (and forget those not named); it answers by registering them. */
  load(files: readonly StepFile[]): void;
  /** No new work; finish; then the process may end. */
  drain(deadlineMs: number): void;
  /** Its process has ended: its calls fail, also while what that has started holds the connection open. */
  gone?(reason: string): void;
}

/** What StepsModule gives to each runtime. */
export interface RuntimeHost {
  /** Absolute. */
  readonly root: string;
  readonly dataDir: string;
  readonly mode: 'development' | 'production';
  /** The engine's variables, for the processes that the runtime starts. */
  readonly env: Environment;
  /** Absolute folder of the build that is to run in the place of the sources; the programs of each language are in it. */
  readonly dist?: string | undefined;
  /** Where children connect: `ws+unix:` URL. */
  readonly socketUrl: string;
  readonly token: string;
  /**
   * A child process was made; the gateway matches its `hello` by `childId`. `onHello` runs when its session is there,
   * `onLost` when it went away (process still alive or not).
   */
  expectChild(childId: string, events: ChildEvents): void;
  /** Nothing can serve these files, e.g. for want of an interpreter: each gets this as its diagnostic, until a worker registers it. */
  refuse(files: readonly StepFile[], problem: StepFileProblem): void;
  /** For runtimes without a socket: joins a session of this process. */
  join(session: RuntimeSession): RuntimeSessionHost;
  /** Crash of a child: shown in health and console with its last output. */
  reportCrash(crash: WorkerCrash): void;
  /** What `workers()` returns has changed. */
  statusChanged(): void;
  /** Output of a child outside any handler. */
  output(line: string, stream: 'stdout' | 'stderr', childId: string): void;
}

export interface ChildEvents {
  onHello(session: RuntimeSession): void;
  /** It has said which Steps it serves; again after each `load`. */
  onRegistered(): void;
  onLost(reason: string): void;
  /** A handler holds up or has ended a process of this language: another one beside it, for some minutes, keeps the others serving. */
  onRelief(): void;
  /** Nothing heard for 15 s, or its event loop blocked that long. */
  onUnresponsive(): void;
}

/** For in-process sessions: the other direction. */
export interface RuntimeSessionHost {
  readonly handle: SessionHandle;
  reports(reports: readonly StepFileReport[]): void;
}

export interface WorkerCrash {
  readonly runtime: string;
  readonly worker: number;
  readonly pid?: number | undefined;
  /** e.g. `exit code 1`, `signal SIGKILL`, `unresponsive for 15 s`. */
  readonly reason: string;
  /** Last lines of stdout and stderr, at most 64 KB. */
  readonly output: string;
  readonly crashLooping: boolean;
  /** When it will be started again; milliseconds from now. */
  readonly restartMs: number;
}

/** An adapter that brings Step processes of a language. */
export interface RuntimeAdapter extends Lifecycle {
  readonly name: string;
  /** Files are loaded as they are at the start: changes of them are not watched. */
  readonly loadsOnce?: boolean;
  /** Which of the discovered files are its own. */
  serves(file: string): boolean;
  /**
   * Spawns what it needs. Called in StepsModule's init, once the gateway's socket listens, so that children boot while
   * the other modules start.
   */
  launch(host: RuntimeHost, files: readonly StepFile[]): Promise<void>;
  /** The set of files or their content changed (development). */
  update(files: readonly StepFile[]): void;
  /**
   * Lets running handlers finish until `deadlineMs` from now and ends its workers. Called before the gateway closes;
   * without it children see their connection close.
   */
  retire?(deadlineMs: number): Promise<void>;
  /** How its workers are. */
  workers(): readonly WorkerStatus[];
}

export interface WorkerStatus {
  readonly worker: number;
  readonly pid?: number | undefined;
  readonly state: 'starting' | 'ready' | 'restarting' | 'crash_looping' | 'stopped';
  readonly restarts: number;
  /** True once it has registered its Steps for the first time, or is in a crash loop. */
  readonly settled: boolean;
}

export interface RuntimeCapabilities {
  /** A crash or a blocking handler does not touch the engine. */
  readonly isolation: boolean;
  /** A timed-out handler can be ended by force. */
  readonly kill: boolean;
  readonly hotSwap: boolean;
  readonly languages: readonly string[];
}

export const RuntimeSlot = slot<RuntimeAdapter, RuntimeCapabilities>('runtime');
