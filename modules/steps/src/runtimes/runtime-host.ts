import type { ChildEvents, Logger, RuntimeHost, RuntimeSession, RuntimeSessionHost, StepFileReport, WorkerCrash } from '@treadle/api';

/** What the service lends to every runtime. */
export type RuntimeHostOptions = Pick<RuntimeHost, 'root' | 'dataDir' | 'mode' | 'env' | 'dist' | 'socketUrl' | 'token'> & {
  readonly log: Logger;
  readonly expectChild: (childId: string, events: ChildEvents) => void;
  readonly join: (session: RuntimeSession) => RuntimeSessionHost['handle'];
  readonly reports: (session: RuntimeSession, handle: RuntimeSessionHost['handle'], reports: readonly StepFileReport[]) => void;
  readonly refused: (reports: readonly StepFileReport[]) => void;
  readonly crashed: (crash: WorkerCrash) => void;
  readonly statusChanged: () => void;
};

/** The view that runtimes have of StepsModule. */
export function runtimeHost(options: RuntimeHostOptions): RuntimeHost {
  const { root, dataDir, mode, env, dist, socketUrl, token, log } = options;
  return {
    root, dataDir, mode, env, dist, socketUrl, token,
    expectChild: options.expectChild,
    reportCrash: options.crashed,
    statusChanged: options.statusChanged,
    refuse: (files, problem) => options.refused(files.map((file) => ({ ...file, steps: [], problem }))),
    join: (session) => {
      const handle = options.join(session);
      return { handle, reports: (reports) => options.reports(session, handle, reports) };
    },
    output: (line, stream, childId) => {
      log[stream === 'stderr' ? 'warn' : 'info']('worker output', { line, stream, worker: childId });
    },
  };
}
