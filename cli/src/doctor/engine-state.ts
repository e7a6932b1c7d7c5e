import { join } from 'node:path';
import { ENGINE_FILE, isHeld, parseEngineRecord, readEngineFile } from '@treadle/protocol/engine-record';
import { type DoctorFinding, ok, warned } from './finding.js';

/** Which engine runs on a data folder. */
export interface EngineState {
  readonly finding: DoctorFinding;
  /** Of the engine that runs; undefined when none does. */
  readonly pid?: number;
}

/** Whether an engine runs on a data folder, or has left its record there. Its life is its lock socket's, never its pid's. */
export async function engineState(folder: string): Promise<EngineState> {
  let text: string | undefined;
  try {
    text = readEngineFile(join(folder, ENGINE_FILE));
  } catch (error) {
    return { finding: warned('engine', `whether one runs cannot be told: ${(error as Error).message}`, `let this user read ${ENGINE_FILE}`) };
  }
  if (text === undefined) return { finding: ok('engine', 'none runs on the data folder') };
  const { pid = 0, lock, version } = parseEngineRecord(text) ?? {};
  if (lock !== undefined && await isHeld(folder, lock)) return { finding: ok('engine', `version ${version} runs on the data folder (pid ${pid})`), pid };
  const remedy = 'nothing to do: the next start replaces it; look into the log for why that engine ended';
  return { finding: warned('engine', `an engine${pid > 0 ? ` (pid ${pid})` : ''} ended without taking back ${ENGINE_FILE}`, remedy) };
}
