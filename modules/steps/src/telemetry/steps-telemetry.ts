import type { CallWatcher, Catalog, Emits, Logger, RuntimeWorker, Session, SessionInfo, Sessions, Telemetry, Unsubscribe } from '@treadle/api';
import type { RecordedInputs } from '../replay/recorded-inputs.js';
import { HandlerSpans } from './handler-spans.js';
import { OwnMetrics } from './own-metrics.js';

/** What the gauges read. */
export interface WorkerFacts {
  sessions(): readonly SessionInfo[];
  workers(): readonly RuntimeWorker[];
  /** By session, milliseconds, as the heartbeats of processes last said. */
  loopDelays(): ReadonlyMap<string, number>;
}

const SESSIONS = { description: 'Step processes that are connected, by runtime', unit: '{session}' };
const RUNNING = { description: 'Handlers that run, by runtime', unit: '{call}' };
const RESTARTS = { description: 'How often workers of the engine were started again, by runtime', unit: '{restart}' };
const LOOP_DELAY = { description: 'Longest delay of a worker\'s event loop in its last 5 s, by runtime', unit: 's' };

/** For the module's declaration. */
export const STEPS_EMITS: Emits = {
  spans: [
    { name: 'handler <step>', description: 'A run of a handler, as long as it took in its process' },
    { name: 'replay <step>', description: 'A run of a handler that somebody asked for once more; the root of its trace, with a link to the span that it repeats' },
    { name: '<own name>', description: 'What code of handlers makes through OpenTelemetry\'s API, below the handler' },
  ],
  metrics: [
    { name: 'treadle.worker.sessions', ...SESSIONS }, { name: 'treadle.worker.running', ...RUNNING }, { name: 'treadle.worker.restarts', ...RESTARTS },
    { name: 'treadle.worker.event_loop.delay', ...LOOP_DELAY },
  ],
};

/** Whose handlers and workers are reported. */
export interface ReportParts {
  readonly catalog: Catalog;
  readonly sessions: Sessions;
  readonly facts: WorkerFacts;
  readonly log: Logger;
  /** Keeps what runs were started with; undefined: nobody does. */
  readonly inputs: RecordedInputs | undefined;
}

/** Reports handlers and workers. Returns what ends it. */
export function reportSteps(telemetry: Telemetry, { catalog, sessions, facts, log, inputs }: ReportParts): Unsubscribe {
  const lives = ({ id }: Session): boolean => facts.sessions().some((session) => session.id === id);
  const [handlers, metrics] = [new HandlerSpans(telemetry, catalog, inputs), new OwnMetrics(telemetry, log, lives)];
  const watcher: CallWatcher = {
    ended: (call, began, ended, failure) => handlers.ended(call, began, ended, failure),
    spans: (spans) => {
      if (telemetry.tracing) for (const span of spans) telemetry.span(span);
    },
    measurements: (points, session) => metrics.take(points, session),
  };
  const ends = [sessions.watch(watcher), ...workerGauges(telemetry, facts), () => handlers.close(), () => metrics.close()];
  return () => {
    for (const end of ends) end();
  };
}

function workerGauges(telemetry: Telemetry, facts: WorkerFacts): readonly Unsubscribe[] {
  return [
    telemetry.gauge('treadle.worker.sessions', { ...SESSIONS, read: () => byRuntime(facts.sessions(), () => 1) }),
    telemetry.gauge('treadle.worker.running', { ...RUNNING, read: () => byRuntime(facts.sessions(), ({ running }) => running) }),
    telemetry.gauge('treadle.worker.restarts', { ...RESTARTS, read: () => byRuntime(facts.workers(), ({ restarts }) => restarts) }),
    telemetry.gauge('treadle.worker.event_loop.delay', { ...LOOP_DELAY, read: () => loopDelays(facts) }),
  ];
}

type Value = ReturnType<Parameters<Telemetry['gauge']>[1]['read']>[number];

function byRuntime<T extends { readonly runtime: string }>(all: readonly T[], value: (one: T) => number): readonly Value[] {
  const sums = new Map<string, number>();
  for (const one of all) sums.set(one.runtime, (sums.get(one.runtime) ?? 0) + value(one));
  return [...sums].map(([runtime, sum]) => ({ value: sum, labels: { runtime } }));
}

/** The longest of each runtime: a label for each process would make more and more series. */
function loopDelays(facts: WorkerFacts): readonly Value[] {
  const delays = facts.loopDelays();
  const longest = new Map<string, number>();
  for (const { id, runtime } of facts.sessions()) {
    const ms = delays.get(id);
    if (ms !== undefined) longest.set(runtime, Math.max(ms, longest.get(runtime) ?? 0));
  }
  return [...longest].map(([runtime, ms]) => ({ value: ms / 1000, labels: { runtime } }));
}
