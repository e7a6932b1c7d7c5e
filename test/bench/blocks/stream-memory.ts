import { getHeapSpaceStatistics } from 'node:v8';

/** What a process has taken, in bytes. */
export interface Memory {
  readonly resident: number;
  /** V8's young generation: up to 32 MB, which V8 takes when anything is allocated quickly and keeps, however many clients there are. */
  readonly young: number;
  readonly heap: number;
}

export interface Growth {
  readonly text: string;
  /** Resident without the young generation, in KB a client. */
  readonly ownKb: number;
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

/** What so many clients have added. */
export function growth(before: Memory, after: Memory, clients: number): Growth {
  const kb = (bytes: number): number => bytes / clients / 1024;
  const [resident, young] = [after.resident - before.resident, after.young - before.young];
  const ownKb = kb(resident - young);
  return {
    ownKb,
    text: `a client: ${kb(resident).toFixed(1)} KB resident, ${ownKb.toFixed(1)} KB of them its own (${(young / 2 ** 20).toFixed(1)} MB young generation left out), `
      + `${kb(after.heap - before.heap).toFixed(1)} KB heap and buffers`,
  };
}
