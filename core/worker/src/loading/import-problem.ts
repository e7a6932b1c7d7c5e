import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StepFileProblem } from '@treadle/protocol';
import { describeError } from '../running/failure.js';
import type { HookProblem } from './hook-messages.js';
import type { HooksClient } from './hooks-client.js';

interface FailedImport {
  /** Absolute. */
  readonly root: string;
  /** Absolute path of the Step file. */
  readonly file: string;
  readonly error: unknown;
  /** The file and what it imports. */
  readonly files: readonly string[];
  /** What the module hooks know. */
  readonly known: HookProblem | undefined;
  readonly hooks: HooksClient | undefined;
}

/** A place in a file. */
export interface Place {
  /** Absolute. */
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** Why an import failed, in terms of the application's files. */
export async function importProblem(failed: FailedImport): Promise<StepFileProblem> {
  const { known, error } = failed;
  if (known) return placed(failed, known.kind, known.message, known);
  const { message, name, stack } = describeError(error);
  if (error instanceof SyntaxError && !isLinkError(message)) return syntaxProblem(failed, message, stack);
  if ((error as { code?: unknown } | null)?.code === 'TREADLE_MISSING_SECRET') return secretProblem(failed, message, placeOf(stack, failed.root));
  const text = name === undefined || name === 'Error' || message.startsWith(name) ? message : `${name}: ${message}`;
  return placed(failed, 'import', text, placeOf(stack, failed.root));
}

/** A guard has no secret. The variable is named when the file says beside the key where it is read from. */
export async function secretProblem(failed: Pick<FailedImport, 'root' | 'file'>, message: string, place?: Place): Promise<StepFileProblem> {
  const source = await readFile(place?.file ?? failed.file, 'utf8').catch(() => '');
  const key = /"(?:[\w.-]*\.)?([\w-]+)"/.exec(message)?.[1] ?? '';
  const [, dotted, quoted] = new RegExp(`["']?${key}["']?\\s*:[^\\n]*?\\bprocess\\.env(?:\\.(\\w+)|\\[['"](\\w+)['"]\\])`).exec(source) ?? [];
  const variable = dotted ?? quoted;
  const text = variable === undefined ? message : message.replace('set the environment variable that it is read from', `set the environment variable ${variable}`);
  return placed(failed, 'secret', text, place);
}

/** Node reports a missing export as a syntax error; it is the import that is wrong. */
const isLinkError = (message: string): boolean => /does not provide an export|Named export/.test(message);

async function syntaxProblem(failed: FailedImport, message: string, stack?: string): Promise<StepFileProblem> {
  const place = placeOf(stack, failed.root);
  // V8 often says only what is wrong, not where.
  const found = await failed.hooks?.findSyntaxError(place ? [place.file] : failed.files);
  return found ? placed(failed, 'syntax', found.message, found) : placed(failed, 'syntax', message, place);
}

function placed({ root, file }: Pick<FailedImport, 'root' | 'file'>, kind: StepFileProblem['kind'], message: string, place?: Place): StepFileProblem {
  if (!place) return { kind, message };
  const { line, column } = place;
  const at = place.file === file ? undefined : relative(root, place.file).replaceAll('\\', '/');
  return {
    kind, message, ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }), ...(at === undefined ? {} : { at }),
  };
}

const FRAME = /(file:\/\/[^\s():]+|\/[^\s():]+):(\d+)(?::(\d+))?/g;

/** The first place in the application that a stack names. */
export function placeOf(stack: string | undefined, root: string): Place | undefined {
  for (const [, where = '', line, column] of (stack ?? '').matchAll(FRAME)) {
    const file = where.startsWith('file:') ? fileURLToPath(where) : where;
    if (!file.startsWith(`${root}/`) || file.includes('/node_modules/')) continue;
    return { file, line: Number(line), column: column === undefined ? undefined : Number(column) };
  }
  return undefined;
}
