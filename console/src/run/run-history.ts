import type { RunRecord, RunRequest } from '../contract/index.js';

const MOST = 2_000;
const MOST_OF_TARGET = 200;
/** Characters of a body that stay; longer ones are cut. */
const KEPT_BODY = 64 * 1024;

/** What was run through the console, the latest of each target and of all; until the engine ends. */
export class RunHistory {
  private records: RunRecord[] = [];

  add(record: RunRecord): void {
    this.records.push(shortened(record));
    const target = targetOf(record.request);
    const alike = this.records.filter(({ request }) => targetOf(request) === target);
    const gone = alike.length > MOST_OF_TARGET ? alike[0] : this.records.length > MOST ? this.records[0] : undefined;
    if (gone) this.records = this.records.filter((one) => one !== gone);
  }

  get(id: string): RunRecord | undefined {
    return this.records.find((record) => record.id === id);
  }

  /** The latest first, those before the one with the id `cursor`. Undefined: there is none with this id. */
  page({ kind, target, limit, cursor }: { readonly kind?: string | undefined; readonly target?: string | undefined; readonly limit: number; readonly cursor?: string | undefined }):
  { readonly items: readonly RunRecord[]; readonly cursor?: string } | undefined {
    const at = cursor === undefined ? this.records.length : this.records.findIndex(({ id }) => id === cursor);
    if (at < 0) return undefined;
    const fitting = this.records.slice(0, at).reverse().filter(({ request }) => (kind === undefined || request.kind === kind) && (target === undefined || isFor(target, request)));
    const items = fitting.slice(0, limit);
    const last = items.at(-1);
    return { items, ...last && fitting.length > limit && { cursor: last.id } };
  }
}

/** What a request is for: `POST /orders`, a topic, a Step, a stream, or a span. */
export function targetOf(request: RunRequest): string {
  switch (request.kind) {
    case 'http': return `${request.method} ${request.path.split('?', 1)[0] ?? ''}`;
    case 'queue': return request.topic;
    case 'cron': return request.step;
    case 'stream': return request.stream;
    case 'replay': return request.span;
  }
}

/** Segments with a colon in the path of a request stand for any: `GET /orders/:id`. */
function isFor(target: string, request: RunRequest): boolean {
  const own = targetOf(request);
  if (own === target || request.kind !== 'http' || !target.includes('/:')) return own === target;
  const [wanted, given] = [target.split('/'), own.split('/')];
  return wanted.length === given.length && wanted.every((part, at) => part.startsWith(':') || part === given[at]);
}

function shortened(record: RunRecord): RunRecord {
  const { outcome } = record;
  if (outcome.kind !== 'http' || outcome.body.length <= KEPT_BODY) return record;
  return { ...record, outcome: { ...outcome, body: outcome.body.slice(0, KEPT_BODY), truncated: true } };
}
