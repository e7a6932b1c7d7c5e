import { constants } from 'node:os';
import { offerStrayError } from '@treadle/api';
import { asTreadleError } from '../error-output.js';
import type { StopRequest } from './stop-request.js';

/**
 * The same signal again within this time is one wish: on Ctrl-C a terminal signals the whole process group, and npm
 * passes its own on to the engine as well. A person is slower.
 */
const ECHO_MS = 100;

const STOP_SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];

export interface SignalTargets {
  readonly stop: StopRequest;
  /** SIGHUP. */
  readonly reload: () => void;
  /** Milliseconds from any origin. */
  readonly monotonic: () => number;
}

/** The part of `process` that is listened to. */
export type SignalSource = Pick<NodeJS.EventEmitter, 'on' | 'off'>;

/** Listens to signals and to errors that nobody caught, until the returned function is called. */
export function listenToSignals(source: SignalSource, targets: SignalTargets): () => void {
  const { stop, reload } = targets;
  const onStop = stopListener(targets);
  const onUncaught = (origin: 'uncaughtException' | 'unhandledRejection') => (error: unknown): void => {
    if (offerStrayError(error, origin)) return;
    const known = asTreadleError(error, 'the engine');
    stop.ask({ exitCode: known.exitCode, error: known });
  };
  const listeners: [string, (value: unknown) => void][] = [
    ...STOP_SIGNALS.map((signal): [string, () => void] => [signal, () => onStop(signal)]),
    ['SIGHUP', reload],
    ['uncaughtException', onUncaught('uncaughtException')],
    ['unhandledRejection', onUncaught('unhandledRejection')],
  ];
  for (const [event, listener] of listeners) source.on(event, listener);
  return () => {
    for (const [event, listener] of listeners) source.off(event, listener);
  };
}

function stopListener({ stop, monotonic }: SignalTargets): (signal: NodeJS.Signals) => void {
  let first: { readonly signal: NodeJS.Signals; readonly at: number } | undefined;
  return (signal) => {
    const at = monotonic();
    if (!first) {
      first = { signal, at };
      stop.ask({ exitCode: 0, signal });
      return;
    }
    if (signal === first.signal && at - first.at < ECHO_MS) return;
    stop.leave(128 + constants.signals[signal]);
  };
}
