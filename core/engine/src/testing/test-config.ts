import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EffectiveEntry } from '@treadle/config';
import type { EnginePlan, PlannedEntry } from '@treadle/kernel';

/** Runs `use` with a file that holds the YAML and lies in `root`, so that relative paths and plugins are found from there. */
export async function withConfigFile<T>(root: string, yaml: string, use: (file: string) => Promise<T>): Promise<T> {
  const file = join(root, `.treadle-test-${randomBytes(6).toString('hex')}.yaml`);
  writeFileSync(file, yaml);
  try {
    return await use(file);
  } finally {
    rmSync(file, { force: true });
  }
}

/**
 * The plan with its own data directory and, wherever the configuration does not write that, a free port and no shedding of requests: their clients share the
 * event loop with the engine, and a busy machine holds both up.
 */
export function isolated(plan: EnginePlan, dataDir: string): EnginePlan {
  const entries = plan.entries.map((entry) => forTests(entry, plan.effective.entries));
  return { ...plan, dataDir, entries };
}

const IN_TESTS = { port: 0, max_event_loop_delay_ms: 60_000 };

function forTests(entry: PlannedEntry, effective: readonly EffectiveEntry[]): PlannedEntry {
  const { classId, name } = entry.instance;
  const origins = effective.find((one) => one.class === classId && one.name === name)?.origins;
  const isFree = (key: string): boolean => typeof entry.config[key] === 'number' && (origins?.[key]?.kind ?? 'default') === 'default';
  const changed = Object.fromEntries(Object.entries(IN_TESTS).filter(([key]) => isFree(key)));
  return Object.keys(changed).length === 0 ? entry : { ...entry, config: Object.freeze({ ...entry.config, ...changed }) };
}
