import { invalidArgument } from '@treadle/api';
import type { RunRequest } from '../contract/index.js';
import { isHeaders } from '../server/header-fields.js';

const METHOD = /^[A-Z]{1,20}$/;
const MOST_TIMEOUT_MS = 120_000;
/** Members of each kind and whether they must be there. */
const TEXTS: Readonly<Record<RunRequest['kind'], { readonly needed: readonly string[]; readonly optional: readonly string[] }>> = {
  http: { needed: ['method', 'path'], optional: ['body'] },
  queue: { needed: ['topic'], optional: ['messageGroupId', 'dedupeKey'] },
  cron: { needed: ['step'], optional: ['trigger'] },
  stream: { needed: ['stream', 'group', 'id'], optional: [] },
  replay: { needed: ['span'], optional: ['input'] },
};

/** The request that a body asks for. @throws {AdminError} 400 that names what is wrong */
export function runRequest(body: unknown): RunRequest {
  if (typeof body !== 'object' || body === null) throw invalidArgument('the body must be an object with "kind"');
  const given = body as Readonly<Record<string, unknown>>;
  const { kind } = given;
  if (typeof kind !== 'string' || !Object.hasOwn(TEXTS, kind)) throw invalidArgument(`"kind" must be one of ${Object.keys(TEXTS).join(', ')}`);
  const { needed, optional } = TEXTS[kind as RunRequest['kind']];
  for (const name of [...needed, ...optional]) {
    const value = given[name];
    if (typeof value !== 'string' && (value !== undefined || needed.includes(name))) throw invalidArgument(`"${name}" must be a text`);
  }
  if (kind === 'http') checkHttp(given);
  if ((kind === 'queue' || kind === 'stream') && given['data'] === undefined) throw invalidArgument('"data" is missing');
  return given as unknown as RunRequest;
}

function checkHttp({ method, path, headers, timeoutMs }: Readonly<Record<string, unknown>>): void {
  if (!METHOD.test(String(method))) throw invalidArgument('"method" must be a method in capitals, such as POST');
  if (!/^\/[!-~]*$/.test(String(path))) throw invalidArgument('"path" must begin with "/" and be percent-encoded');
  if (headers !== undefined && !isHeaders(headers)) throw invalidArgument('"headers" must be an object of texts without line breaks');
  const fits = timeoutMs === undefined || (typeof timeoutMs === 'number' && timeoutMs >= 1 && timeoutMs <= MOST_TIMEOUT_MS);
  if (!fits) throw invalidArgument(`"timeoutMs" must be a number from 1 to ${MOST_TIMEOUT_MS}`);
}
