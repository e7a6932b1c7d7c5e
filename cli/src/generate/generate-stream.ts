import type { EnginePlan } from '@treadle/kernel';
import type { Environment } from '../application/dotenv.js';
import { readCatalog } from '../check/application-catalog.js';
import { writeNew } from '../files/write-new.js';
import { applicationLanguage } from './application-language.js';
import type { WrittenStep } from './generate-step.js';
import { schemaStyle } from './schema-style.js';
import { stepName, type StepLanguage } from './step-name.js';
import { EXAMPLE_SCHEMA, quoted, type SchemaStyle, ZOD_IMPORT } from './step-source.js';

/** What to write. */
export interface StreamRequest {
  /** As the user wrote it. */
  readonly name: string;
  /** Default: the language of the application. */
  readonly language?: string | undefined;
  readonly env: Environment;
}

/**
 * Writes a file that declares a stream, and checks it among the other files.
 * @throws {USAGE} for a bad name, or when the file exists
 * @throws {FILE_NOT_WRITABLE}
 */
export async function generateStream(plan: EnginePlan, { name: given, language: wanted, env }: StreamRequest): Promise<WrittenStep> {
  const language = (wanted ?? await applicationLanguage(plan.root)) as StepLanguage;
  const { slug: name, file: stepFile } = stepName(given, language);
  const file = stepFile.replace('.step.', '.stream.').replace(/_step\.py$/, '_stream.py');
  await writeNew(plan.root, { [file]: language === 'py' ? pythonSource(name) : scriptSource(name, language, schemaStyle(plan.root)) });
  const { diagnostics } = await readCatalog(plan, env);
  return { name, file, diagnostics: diagnostics.filter((diagnostic) => diagnostic.file === file) };
}

const OPEN = 'Everybody may follow it: decide here who may.';

function scriptSource(name: string, language: 'ts' | 'js', schemas: SchemaStyle): string {
  const imports = [...(language === 'ts' ? ["import type { StreamConfig } from 'treadle';"] : []), ...(schemas === 'zod' ? [ZOD_IMPORT] : [])];
  return [
    ...imports, ...(imports.length > 0 ? [''] : []),
    'export const config = {',
    `  name: ${quoted(name)},`, `  description: ${quoted(`Items of ${name}, live`)},`, `  schema: ${EXAMPLE_SCHEMA[schemas]},`,
    `  // ${OPEN}`, '  canAccess: () => true,',
    language === 'ts' ? '} satisfies StreamConfig;' : '};', '',
  ].join('\n');
}

function pythonSource(name: string): string {
  return [
    'def can_access(subscription, auth):', `    """${OPEN}"""`, '    return True', '', '',
    'config = {',
    `    "name": ${JSON.stringify(name)},`, `    "description": ${JSON.stringify(`Items of ${name}, live`)},`, `    "schema": ${EXAMPLE_SCHEMA.python},`,
    '    "can_access": can_access,', '}', '',
  ].join('\n');
}
