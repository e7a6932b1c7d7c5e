import type { StepFileProblem } from '@treadle/api';
import type { Finding } from './finding.js';

const KINDS: Readonly<Record<StepFileProblem['kind'], { code: string; remedy: string }>> = {
  syntax: { code: 'STEP_SYNTAX', remedy: 'correct the syntax' },
  import: { code: 'STEP_IMPORT_FAILED', remedy: 'make the file load without an error; work that may fail belongs in the handler' },
  missing_config: { code: 'STEP_NO_CONFIG', remedy: 'export a const named "config", or step(config, handler) as default' },
  missing_handler: { code: 'STEP_NO_HANDLER', remedy: 'export a function named "handler", or step(config, handler) as default' },
  timeout: { code: 'STEP_LOAD_TIMEOUT', remedy: 'remove the top-level await that does not end' },
  schema: { code: 'STEP_BAD_SCHEMA', remedy: 'use a schema that can be expressed as JSON Schema' },
};

/** The finding for a file that could not be loaded. */
export function fileProblem(problem: StepFileProblem): Finding {
  // A kind of a newer worker still has its text.
  const { code, remedy } = KINDS[problem.kind] ?? { code: 'STEP_LOAD_FAILED', remedy: 'correct the file' };
  return { code, message: problem.message, remedy };
}
