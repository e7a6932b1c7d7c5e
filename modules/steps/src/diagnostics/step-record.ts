import { createHash } from 'node:crypto';
import type { StepConfigRecord, StepRecord } from '@treadle/api';

/** Where a config comes from. */
type StepOrigin = Pick<StepRecord, 'file' | 'role' | 'application' | 'guards'> & { readonly line?: number | undefined };

/** The catalog's entry for a config that was read from a file. */
export function stepRecord(config: StepConfigRecord, origin: StepOrigin): StepRecord {
  const { file, line, role, application, guards } = origin;
  return {
    id: config.name, config, file, language: languageOf(file), configHash: hashOf(config),
    ...(line !== undefined && { line }), ...(role !== undefined && { role }), ...(application !== undefined && { application }), ...(guards !== undefined && { guards }),
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
