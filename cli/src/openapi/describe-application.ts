import { EXIT } from '@treadle/api';
import type { EnginePlan } from '@treadle/kernel';
import { condense, formatDiagnostic } from '@treadle/module-steps';
import { applicationFacts, openApiDocument, type OpenApiDocument } from '@treadle/module-http/openapi';
import type { Environment } from '../application/dotenv.js';
import { readCatalog } from '../check/application-catalog.js';
import { paintError } from '../terminal/paint.js';
import { count } from '../terminal/table.js';

/** A document and what there is to say of it. */
export interface Described {
  readonly document: OpenApiDocument;
  /** For people: the errors of the Steps that are left out, and how much is described. */
  readonly summary: string;
  /** 65 when a Step is left out because it is faulty. */
  readonly exitCode: number;
}

/** Describes the http triggers of an application without starting it. */
export async function describeApplication(plan: EnginePlan, env: Environment, servers: readonly string[] = []): Promise<Described> {
  const { records, diagnostics } = await readCatalog(plan, env);
  const document = openApiDocument({ title: plan.application, ...await applicationFacts(plan.root), steps: records, servers });
  const errors = condense(diagnostics.filter(({ severity }) => severity === 'error')).map((error) => paintError(formatDiagnostic(error), process.stderr));
  const operations = Object.values(document.paths).reduce((sum, item) => sum + Object.keys(item).length, 0);
  const described = `${count(operations, 'operation')} on ${count(Object.keys(document.paths).length, 'path')}`;
  return { document, summary: [...errors, described].join('\n'), exitCode: errors.length > 0 ? EXIT.application : 0 };
}
