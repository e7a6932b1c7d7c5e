import type { RunRecord, RunRequest } from '../contract/index.js';

const MOST = 2_000;
const MOST_OF_TARGET = 200;
/** Of all records together, as JSON. */
const MOST_CHARACTERS = 32 * 1024 * 1024;
/** Characters of a body that stay; longer ones are cut. */
const KEPT_BODY = 64 * 1024;

/** What is kept of a record: its JSON, and what it is found by. */
interface Kept {
  readonly id: string;
  readonly request: RunRequest['kind'];
  readonly target: string;
  readonly text: string;
}

/** What was run through the console, the latest of each target and of all; until the engine ends. As JSON: an object of many small parts would take ten times its bytes. */
export class RunHistory {
  private kept: Kept[] = [];
  private characters = 0;

  add(record: RunRecord): void {
    const target = targetOf(record.request);
    const added = { id: record.id, request: record.request.kind, target, text: JSON.stringify(shortened(record)) };
    this.kept.push(added);
    this.characters += added.text.length;
    const alike = this.kept.filter((one) => one.target === target);
    const [oldestAlike] = alike;
    if (oldestAlike && alike.length > MOST_OF_TARGET) this.remove(oldestAlike);
    for (let [oldest] = this.kept; oldest && (this.kept.length > MOST || this.characters > MOST_CHARACTERS); [oldest] = this.kept) this.remove(oldest);
  }

  get(id: string): RunRecord | undefined {
    const found = this.kept.find((one) => one.id === id);
    return found && recordOf(found);
  }

  /** The latest first, those before the one with the id `cursor`. Undefined: there is none with this id. */
  page({ kind, target, limit, cursor }: { readonly kind?: string | undefined; readonly target?: string | undefined; readonly limit: number; readonly cursor?: string | undefined }):
  { readonly items: readonly RunRecord[]; readonly cursor?: string } | undefined {
    const at = cursor === undefined ? this.kept.length : this.kept.findIndex(({ id }) => id === cursor);
    if (at < 0) return undefined;
    const fitting = this.kept.slice(0, at).reverse().filter((one) => (kind === undefined || one.request === kind) && (target === undefined || isFor(target, one)));
    const items = fitting.slice(0, limit);
    const last = items.at(-1);
    return { items: items.map(recordOf), ...last && fitting.length > limit && { cursor: last.id } };
  }

  private remove(gone: Kept): void {
    this.kept = this.kept.filter((one) => one !== gone);
    this.characters -= gone.text.length;
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
function isFor(target: string, { request, target: own }: Kept): boolean {
  if (own === target || request !== 'http' || !target.includes('/:')) return own === target;
  const [wanted, given] = [target.split('/'), own.split('/')];
  return wanted.length === given.length && wanted.every((part, at) => part.startsWith(':') || part === given[at]);
}

function recordOf({ text }: Kept): RunRecord {
  return JSON.parse(text) as RunRecord;
}

function shortened(record: RunRecord): RunRecord {
  const { outcome } = record;
  if (outcome.kind !== 'http' || outcome.body.length <= KEPT_BODY) return record;
  return { ...record, outcome: { ...outcome, body: outcome.body.slice(0, KEPT_BODY), truncated: true } };
}
