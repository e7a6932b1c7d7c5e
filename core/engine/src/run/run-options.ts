import type { LogFormat } from '@treadle/api';
import type { EngineSurroundings } from '../engine-surroundings.js';
import type { StopCause } from './stop-request.js';

/** What to run and where. */
export interface RunOptions extends EngineSurroundings {
  /** As written, relative to `cwd`; without it the default configuration runs. */
  readonly configFile?: string;
  /** Beats the default of `engine.mode`, not what YAML writes. */
  readonly mode?: 'development' | 'production';
  /** Of the HTTP server; beats what YAML writes and `PORT`. */
  readonly port?: number;
  /** Beats `LOG_FORMAT`. */
  readonly logFormat?: LogFormat;
  /** Stops the engine like SIGTERM when it is aborted; its reason, a text, is logged. */
  readonly signal?: AbortSignal;
  /** Told before the end who asked for it: a signal, or the reason of `signal`. Not called when nobody did. */
  readonly onStopped?: (cause: Pick<StopCause, 'signal' | 'reason'>) => void;
  /** Reload when the file changes. */
  readonly watch?: boolean;
  /** The command's name in errors; default `treadle-engine`. */
  readonly argv0?: string;
  /** `performance.now()` of what counts as the start; default: the call. */
  readonly since?: number;
}
