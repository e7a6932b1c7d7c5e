import { readFile, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { invalidArgument } from '@treadle/api';
import type { OwnRequest } from '../api/own-route.js';
import type { Surroundings } from '../api/surroundings.js';
import type { StepSource } from '../contract/index.js';
import { Refusal } from '../server/refusal.js';

const DEFAULT_LINES = 200;
const MOST_LINES = 5_000;
/** Lines before the one that is asked for, as part of those that are shown. */
const BEFORE = 0.3;

/** `GET /steps/:id/source`: lines around one, by default that of the Step's config. @throws {Refusal} 404 */
export async function stepSource({ steps, engine }: Surroundings, { params, query }: OwnRequest): Promise<StepSource> {
  const id = params['id'] ?? '';
  const step = steps?.steps().find((one) => one.id === id);
  if (!step) throw new Refusal(404, 'not_found', `there is no Step "${id.slice(0, 100)}"`);
  const lines = (await applicationFile(engine.root, step.file)).split('\n');
  const wanted = wholeNumber(query['lines'], 'lines') ?? DEFAULT_LINES;
  if (wanted > MOST_LINES) throw invalidArgument(`"lines" must be at most ${MOST_LINES}`);
  const line = Math.min(wholeNumber(query['around'], 'around') ?? step.line ?? 1, lines.length);
  const from = Math.max(1, Math.min(line - Math.floor(wanted * BEFORE), lines.length - wanted + 1));
  return { step: id, file: step.file, from, total: lines.length, line, text: lines.slice(from - 1, from - 1 + wanted).join('\n'), language: step.language };
}

/** The text of a file within the application, wherever links lead. @throws {Refusal} 404 */
export async function applicationFile(root: string, file: string): Promise<string> {
  const missing = new Refusal(404, 'not_found', `${file} is not in the application's folder`);
  try {
    const [folder, path] = await Promise.all([realpath(root), realpath(join(root, file))]);
    if (!path.startsWith(`${folder}${sep}`)) throw missing;
    return await readFile(path, 'utf8');
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? missing : error;
  }
}

function wholeNumber(value: string | undefined, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (/^[1-9]\d{0,6}$/.test(value)) return Number(value);
  throw invalidArgument(`"${name}" must be a whole number from 1`);
}
