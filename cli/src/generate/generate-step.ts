import type { Diagnostic } from '@treadle/api';
import type { EnginePlan } from '@treadle/kernel';
import type { Environment } from '../application/dotenv.js';
import { readCatalog } from '../check/application-catalog.js';
import { writeNew } from '../files/write-new.js';
import { applicationLanguage } from './application-language.js';
import { schemaStyle } from './schema-style.js';
import { stepName, type StepLanguage } from './step-name.js';
import { stepSource } from './step-source.js';
import { newTrigger, type TriggerChoice } from './step-trigger.js';

/** What to write. */
export interface StepRequest {
  /** As the user wrote it. */
  readonly name: string;
  /** Default: the language of the application. */
  readonly language?: string | undefined;
  readonly trigger: TriggerChoice;
  readonly env: Environment;
}

/** What was written and what `check` says of it. */
export interface WrittenStep {
  readonly name: string;
  /** Relative to the application's root. */
  readonly file: string;
  /** Of this file alone. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Writes a Step file and checks it among the other Steps.
 * @throws {USAGE} for a bad name or option, or when the file exists
 * @throws {FILE_NOT_WRITABLE}
 */
export async function generateStep(plan: EnginePlan, request: StepRequest): Promise<WrittenStep> {
  const language = (request.language ?? await applicationLanguage(plan.root)) as StepLanguage;
  const { name, slug, file } = stepName(request.name, language);
  const trigger = newTrigger(request.trigger, slug);
  await writeNew(plan.root, { [file]: stepSource({ name, trigger, schemas: schemaStyle(plan.root) }, language) });
  const { diagnostics } = await readCatalog(plan, request.env);
  return { name, file, diagnostics: diagnostics.filter((diagnostic) => diagnostic.file === file) };
}
