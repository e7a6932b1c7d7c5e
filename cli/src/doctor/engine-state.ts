import { connect } from 'node:net';
import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { type DoctorFinding, ok, warned } from './finding.js';

/** Which engine runs on a data folder. */
export interface EngineState {
  readonly finding: DoctorFinding;
  /** Of the engine that runs; undefined when none does. */
  readonly pid?: number;
}

const CONNECT_MS = 2000;

/** Whether an engine runs on a data folder, or has left its record there. Its life is its lock socket's, never its pid's. */
export async function engineState(folder: string): Promise<EngineState> {
  const record = recordIn(folder);
  if (record === undefined) return { finding: ok('engine', 'none runs on the data folder') };
  const { pid, lock, version } = record;
  if (typeof lock === 'string' && typeof pid === 'number' && await isHeld(folder, lock)) {
    return { finding: ok('engine', `version ${String(version)} runs on the data folder (pid ${pid})`), pid };
  }
  const remedy = 'nothing to do: the next start replaces it; look into the log for why that engine ended';
  return { finding: warned('engine', `an engine${typeof pid === 'number' ? ` (pid ${pid})` : ''} ended without taking back engine.json`, remedy) };
}

interface EngineRecord {
  readonly pid?: unknown;
  readonly lock?: unknown;
  readonly version?: unknown;
}

function recordIn(folder: string): EngineRecord | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, 'engine.json'), 'utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch (error) {
    // Not there, or torn by a crash of the machine: then it is a record of nobody.
    return (error as NodeJS.ErrnoException).code === undefined ? {} : undefined;
  }
}

function isHeld(folder: string, lock: string): Promise<boolean> {
  const port = /^tcp:(\d+)$/.exec(lock)?.[1];
  const path = isAbsolute(lock) ? lock : join(folder, lock);
  return new Promise((resolve) => {
    const socket = port === undefined ? connect({ path }) : connect({ port: Number(port), host: '127.0.0.1' });
    const settle = (held: boolean) => (): void => {
      socket.destroy();
      resolve(held);
    };
    socket.once('connect', settle(true));
    socket.once('error', settle(false));
    // One that is busy counts as alive, which is the safe side.
    socket.setTimeout(CONNECT_MS, settle(true));
  });
}
