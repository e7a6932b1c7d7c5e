import { invalidArgument, limitArgument, looksSecret, REDACTED, redactText } from '@treadle/api';
import type { Page, RunRecord, RunRequest } from '../contract/index.js';
import { run } from '../run/run.js';
import { runRequest } from '../run/run-request.js';
import { Refusal } from '../server/refusal.js';
import type { OwnRequest, OwnRoute } from './own-route.js';
import type { Surroundings } from './surroundings.js';

const PAGE = 50;
const MOST = 200;
/** Members of all kinds of requests. */
const TAKES = ['kind', 'method', 'path', 'headers', 'body', 'timeoutMs', 'topic', 'data', 'delayMs', 'messageGroupId', 'dedupeKey', 'step', 'trigger', 'stream', 'group', 'id', 'span', 'input'];

/** Routes that run something, and show what was run so. */
export const RUN_ROUTES: readonly OwnRoute[] = [
  { method: 'POST', path: '/run', takes: TAKES, summary: 'Sends a request, a message, a cron run, a stream item or a run of a Step once more, and says which trace it began', answer: (surroundings, { body, caller }) => run(surroundings, runRequest(body), caller.name) },
  { method: 'GET', path: '/history', takes: ['kind', 'target', 'limit', 'cursor'], summary: 'What was run through the console, the latest first', answer: history },
  { method: 'GET', path: '/history/:id', takes: [], summary: 'One of them', answer: ({ history: runs }, { params, caller }) => shownTo(caller, runs.get(params['id'] ?? '') ?? gone(params['id'] ?? '')) },
];

function history({ history: runs }: Surroundings, { query: { kind, target, limit, cursor }, caller }: OwnRequest): Page<RunRecord> {
  const page = runs.page({ kind, target, limit: limitArgument(limit, PAGE, MOST), cursor });
  if (page) return { ...page, items: page.items.map((record) => shownTo(caller, record)) };
  throw invalidArgument('cursor must be one that a former page gave, and is not kept any more');
}

/** Who may only look sees neither what handlers are started with, which is for operators everywhere, nor what they answered, nor with which token an operator asked. */
function shownTo({ role }: OwnRequest['caller'], record: RunRecord): RunRecord {
  if (role !== 'viewer') return record;
  const { request, outcome } = record;
  return { ...record, request: withoutSecrets(request), outcome: outcome.kind === 'http' ? { ...outcome, body: '', headers: outcome.headers.map(([name, value]) => [name, hidden(name, value)]) } : outcome, withheld: true };
}

function withoutSecrets(request: RunRequest): RunRequest {
  const headers = 'headers' in request && { headers: Object.fromEntries(Object.entries(request.headers ?? {}).map(([name, value]) => [name, hidden(name, value)])) };
  if (request.kind === 'replay') return { kind: 'replay', span: request.span };
  if (request.kind !== 'http') return { ...request, ...headers };
  const { body: _body, ...rest } = request;
  return { ...rest, path: redactText(request.path), ...headers };
}

const hidden = (name: string, value: string): string => (looksSecret(name) ? REDACTED : value);

function gone(id: string): never {
  throw new Refusal(404, 'not_found', `there is no run "${id.slice(0, 100)}"; the last 200 of each target are kept until the engine ends`);
}
