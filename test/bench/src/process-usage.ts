import { readFileSync, readdirSync } from 'node:fs';
import { platform } from 'node:os';

const TICKS_PER_SECOND = 100;

/** Processor time that a process has used so far, in microseconds; NaN where the system does not tell (not Linux). */
export function cpuMicroseconds(pid: number): number {
  const fields = statFields(pid);
  return ((Number(fields?.[11]) + Number(fields?.[12])) / TICKS_PER_SECOND) * 1e6;
}

/** What the main thread of a process has computed so far and how long it was ready to and had no processor, in seconds; NaN where the system does not tell. */
export function mainThreadSeconds(pid: number): { readonly computed: number; readonly kept: number } {
  const [computed, kept] = read(`/proc/${pid}/schedstat`)?.split(' ') ?? [];
  return { computed: Number(computed) / 1e9, kept: Number(kept) / 1e9 };
}

/** Resident memory in megabytes; NaN where the system does not tell. */
export function residentMegabytes(pid: number): number {
  const status = read(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+) kB/.exec(status ?? '')?.[1] ?? NaN) / 1024;
}

/** Processes that descend from one, nearest first. */
export function descendantsOf(pid: number): readonly number[] {
  if (platform() !== 'linux') return [];
  const parents = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: Number(statFields(Number(name))?.[1]) }));
  const found = [pid];
  for (const ancestor of found) found.push(...parents.filter((p) => p.parent === ancestor).map((p) => p.pid));
  return found.slice(1);
}

/** Fields of /proc/<pid>/stat from the state on (the name before it may hold spaces). */
function statFields(pid: number): readonly string[] | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // the process has ended, or this is not Linux
  }
}
