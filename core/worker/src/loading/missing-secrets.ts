import type { StepFileProblem } from '@treadle/protocol';
import { placeOf, secretProblem } from './import-problem.js';

const TAKES_NOTE = Symbol.for('treadle.missing-secret');
const roots = new Set<string>();
const noted: Error[] = [];

/**
 * From now on a guard whose secret is not set does not keep the files of this application from being loaded in this process: the Steps that import
 * it keep their routes, and what is missing is found by the files that they import. `root`: absolute, without links.
 */
export function noteMissingSecrets(root: string): void {
  roots.add(root);
  (globalThis as { [TAKES_NOTE]?: (error: Error) => boolean })[TAKES_NOTE] = take;
}

/** What a file that could be loaded lacks, or one of those that it imports; all are absolute paths. Undefined when its guards have their secrets. */
export async function missingSecretOf(file: string, imports: readonly string[], root: string): Promise<StepFileProblem | undefined> {
  for (const { message, stack } of noted) {
    const place = placeOf(stack, root);
    if (place && [file, ...imports].includes(place.file)) return secretProblem({ root, file }, message, place);
  }
  return undefined;
}

/** These files are evaluated anew. */
export function forgetMissingSecrets(files: ReadonlySet<string>, root: string): void {
  for (const error of noted.splice(0)) if (!files.has(placeOf(error.stack, root)?.file ?? '')) noted.push(error);
}

function take(error: Error): boolean {
  const isOurs = [...roots].some((root) => placeOf(error.stack, root) !== undefined);
  if (isOurs) noted.push(error);
  return isOurs;
}
