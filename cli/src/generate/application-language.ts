import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { discoverStepFiles } from '@treadle/worker';
import type { StepLanguage } from './step-name.js';

/** The language that most Steps below a root are written in; without Steps: TypeScript where there is a tsconfig.json, else JavaScript. */
export async function applicationLanguage(root: string): Promise<StepLanguage> {
  const counts = new Map<StepLanguage, number>();
  for (const { file } of await discoverStepFiles(root)) {
    const language = languageOf(file);
    counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return most?.[0] ?? (existsSync(join(root, 'tsconfig.json')) ? 'ts' : 'js');
}

function languageOf(file: string): StepLanguage {
  if (file.endsWith('.py')) return 'py';
  return /\.m?ts$/.test(file) ? 'ts' : 'js';
}
