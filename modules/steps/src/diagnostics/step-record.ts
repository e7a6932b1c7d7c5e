import { createHash } from 'node:crypto';
import type { StepConfigRecord, StepRecord } from '@treadle/api';

/** The catalog's entry for a config that was read from a file. */
export function stepRecord(config: StepConfigRecord, file: string, line?: number): StepRecord {
  return {
    id: config.name, config, file, language: languageOf(file), configHash: hashOf(config),
    ...(line !== undefined && { line }),
  };
}

function languageOf(file: string): StepRecord['language'] {
  if (file.endsWith('.py')) return 'python';
  return /\.m?ts$/.test(file) ? 'typescript' : 'javascript';
}

/** No secret depends on it; it only has to change with the config. */
function hashOf(config: StepConfigRecord): string {
  return createHash('sha1').update(JSON.stringify(config)).digest('hex');
}
