import { parse } from 'node:path';
import type { ChildStart } from '@treadle/protocol';
import { builtModules, type BuildLock } from '@treadle/protocol/build-lock';
import { helpCollector } from './collector.js';
import { ENGINE_SECRETS } from './engine-secrets.js';
import { exitProcess } from './exit-guard.js';
import { HooksClient } from './loading/hooks-client.js';
import type { RunnerHost } from './runner-host.js';
import { firstLine } from './session/first-line.js';
import { openMarks } from './session/marks.js';
import { startParentWatch } from './session/watch-parent.js';
import { StdioCapture } from './session/stdio-capture.js';
import { catchStrayErrors, sayLast } from './session/stray-errors.js';
import { WorkerSession } from './session/worker-session.js';
import { StepRunner } from './step-runner.js';
import { tryFiles } from './try-files.js';

/** What the engine writes on the first line of the child's standard input. */
interface FirstLine extends ChildStart {
  readonly esbuild?: string;
  readonly cacheDir?: string;
}

/** The build that a child serves. */
export interface ChildBuild {
  readonly lock: BuildLock;
  /** Its absolute folder. */
  readonly dist: string;
}

/** Exit code when the engine cannot be reached or goes away. */
const LOST = 69;

/** Runs a child process of the engine until the engine lets go of it: serves the sources, or a build. */
export async function runChild(build?: ChildBuild): Promise<void> {
  helpCollector();
  // Handlers get the whole environment but this.
  for (const name of ENGINE_SECRETS) delete process.env[name];
  // Ctrl-C and a stopping service manager reach the whole process group; the engine decides when its children end.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
  // Their thread starts while the engine's first line and the connection are waited for.
  if (!build && !openHooks()) return end(LOST, 'the working directory does not exist any more');
  const line = await firstLine(process.stdin);
  if (line === undefined) return end(LOST, `this program is started by the engine; run ${build ? 'it without "--child"' : 'treadle-worker'} by hand instead`);
  serve(JSON.parse(line) as FirstLine, build);
}

/** Options that name modules, which are looked for from the working directory, in every thread. */
const PRELOADS = /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader)\b/;

/**
 * False when the working directory is gone: the hooks' thread cannot start there, and Node would wait for it for ever. So it starts
 * elsewhere, unless it has to find modules from here.
 */
function openHooks(): boolean {
  try {
    const folder = process.cwd();
    const stays = PRELOADS.test([process.env['NODE_OPTIONS'] ?? '', ...process.execArgv].join(' '));
    if (!stays) process.chdir(parse(folder).root);
    HooksClient.open();
    if (!stays) process.chdir(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function serve(start: FirstLine, build: ChildBuild | undefined): void {
  const { socketUrl: url, token, childId, trial, marks, enginePid, ...loading } = start;
  const built = build && { built: builtModules(build.dist, build.lock), hooks: false };
  openMarks(marks);
  endWith(enginePid, build === undefined ? HooksClient.open() : undefined);
  if (trial) return void tryFiles(trial, { ...loading, ...built }, () => end(1));
  // The runner is there before the session, for loading is prepared while the connection is made.
  const host: RunnerHost = {
    log: (id, entry) => session.log(id, entry),
    spans: (spans) => session.spans(spans),
    measurements: (points) => session.measurements(points),
  };
  const runner = new StepRunner({ ...loading, ...built, opens: true, host, onReports: (reports) => session.register(reports) });
  const session = new WorkerSession({
    url, token, hello: { childId, root: start.root }, runner, loads: true,
    onDrained: () => end(0),
    onLost: ({ message }) => end(LOST, `the connection to the engine was lost: ${message}`),
  });
  void runner.warm();
  new StdioCapture().start();
  const flush = (): void => session.flush();
  catchStrayErrors(runner, () => end(1));
  // What a handler said right before it ended the process is still worth sending.
  process.on('exit', flush);
}

/** From here on code of the application runs, and may block this thread. */
function endWith(enginePid: number | undefined, hooks: HooksClient | undefined): void {
  const watch = { pid: process.pid, parent: process.ppid };
  if (enginePid !== undefined && !isAlive(enginePid)) end(LOST, 'the engine has gone');
  if (hooks) void hooks.watch(watch);
  else startParentWatch(watch);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function end(code: number, message?: string): void {
  if (message !== undefined) sayLast(`treadle worker: ${message}`);
  exitProcess(code);
}
