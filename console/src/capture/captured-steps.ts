import { createHash } from 'node:crypto';
import type { Surroundings } from '../api/surroundings.js';
import type { CapturedStep, StepRecord } from '../contract/index.js';
import { applicationFile } from '../flows/step-source.js';
import { Refusal } from '../server/refusal.js';

/** Which versions of these Steps there are now. */
export async function capturedSteps({ steps, engine }: Pick<Surroundings, 'steps' | 'engine'>, names: ReadonlySet<string>): Promise<readonly CapturedStep[]> {
  const meant = (steps?.steps() ?? []).filter(({ config }) => names.has(config.name));
  return Promise.all(meant.map(async ({ id, file, line, language, config, configHash }) => {
    const sourceHash = await hashOf(engine.root, file);
    const builds = new Set((steps?.sessions() ?? []).filter((session) => session.steps.includes(id)).flatMap(({ build }) => build ?? []));
    return { step: config.name, file, ...line !== undefined && { line }, language, config: config as StepRecord['config'], configHash, ...sourceHash !== undefined && { sourceHash }, builds: [...builds] };
  }));
}

async function hashOf(root: string, file: string): Promise<string | undefined> {
  try {
    return createHash('sha256').update(await applicationFile(root, file)).digest('hex');
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
