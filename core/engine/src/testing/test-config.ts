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

/** The plan with its own data directory and a free port wherever the configuration does not write one. */
export function isolated(plan: EnginePlan, dataDir: string): EnginePlan {
  const entries = plan.entries.map((entry) => withFreePort(entry, plan.effective.entries));
  return { ...plan, dataDir, entries };
}

function withFreePort(entry: PlannedEntry, effective: readonly EffectiveEntry[]): PlannedEntry {
  if (typeof entry.config['port'] !== 'number') return entry;
  const { classId, name } = entry.instance;
  const origin = effective.find((one) => one.class === classId && one.name === name)?.origins['port'];
  if (origin && origin.kind !== 'default') return entry;
  return { ...entry, config: Object.freeze({ ...entry.config, port: 0 }) };
}
