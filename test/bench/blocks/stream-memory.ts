import { getHeapSpaceStatistics } from 'node:v8';

/** What a process has taken, in bytes. */
export interface Memory {
  readonly resident: number;
  /** V8's young generation: up to 32 MB, which V8 takes when anything is allocated quickly and keeps, however many clients there are. */
  readonly young: number;
  readonly heap: number;
}

/** After a full collection; without `--expose-gc` what nobody needs is counted as well. */
export function memoryNow(): Memory {
  const collect = (globalThis as { gc?: () => void }).gc;
  collect?.();
  collect?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const young = getHeapSpaceStatistics().filter(({ space_name: name }) => name.startsWith('new_')).reduce((sum, { physical_space_size: size }) => sum + size, 0);
  return { resident: rss, young, heap: heapUsed + external };
}

/** What each of so many clients has added, in KB. */
export function growth(before: Memory, after: Memory, clients: number): Memory {
  const kilobytes = (of: keyof Memory): number => (after[of] - before[of]) / clients / 1024;
  return { resident: kilobytes('resident'), young: kilobytes('young'), heap: kilobytes('heap') };
}
