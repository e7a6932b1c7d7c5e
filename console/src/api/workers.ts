import { readFile } from 'node:fs/promises';
import type { ProcessUse, WorkersAnswer } from '../contract/index.js';
import { Refusal } from '../server/refusal.js';
import type { Surroundings } from './surroundings.js';

/** Ticks a second of `/proc`: the same on every Linux that Node.js runs on. */
const TICKS = 100;
/** Fields of `/proc/<pid>/stat` behind the command's name, from 0. */
const [USER_TIME, SYSTEM_TIME] = [11, 12];

/** `GET /workers`. @throws {Refusal} 404 when no module provides Steps */
export async function workersOverview({ steps }: Surroundings): Promise<WorkersAnswer> {
  if (!steps) throw new Refusal(404, 'module_not_loaded', 'no module of this engine provides Steps');
  const sessions = await Promise.all(steps.sessions().map(async ({ pid, ...session }) => ({
    ...session, ...pid !== undefined && { pid, ...session.origin === 'child' ? await useOf(pid) : {} },
  })));
  return { sessions, workers: steps.workers(), crashes: steps.crashes() } as WorkersAnswer;
}

/** Nothing where the system does not tell. */
async function useOf(pid: number): Promise<ProcessUse> {
  try {
    const [status, stat] = await Promise.all([readFile(`/proc/${pid}/status`, 'utf8'), readFile(`/proc/${pid}/stat`, 'utf8')]);
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
    // The command's name is in parentheses and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME]);
    return { ...kilobytes !== undefined && { memoryBytes: Number(kilobytes) * 1024 }, ...Number.isFinite(ticks) && { cpuSeconds: ticks / TICKS } };
  } catch {
    // Another system, or a process that has just ended.
    return {};
  }
}
