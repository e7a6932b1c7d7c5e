import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PYTHON_PATH } from '@treadle/runtime-python';
import { expect } from 'chai';
import { Schedule } from '../../modules/cron/src/schedule/schedule.js';
import { AdminClient } from '../support/admin-client.js';
import { EngineProcess } from '../support/engine-process.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

/** One thing to do, and what comes of it; the tests of the Python package play the same ones in `treadle.testing`. */
interface Act {
  readonly http?: readonly [method: string, path: string];
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Waits until every message is processed. */
  readonly idle?: true;
  /** Dead letters of a Step: reason, attempts, data. */
  readonly letters?: string;
  readonly expect?: unknown;
}

const FOLDER = join(PYTHON_PATH, 'tests/agreement');
const CONFIG = `modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: false }
  - class: modules::state::StateModule
    config: { adapter: { class: modules::state::adapters::Sqlite, config: { store_method: in_memory } } }
  - class: modules::queue::QueueModule
    config: { adapter: { class: modules::queue::adapters::Sqlite, config: { store_method: in_memory } } }
  - class: modules::stream::StreamModule
    config: { port: 0, adapter: { class: modules::stream::adapters::Sqlite, config: { store_method: in_memory } } }
  - class: modules::console::ConsoleModule
    config: { port: 0 }
`;
const HEADERS = ['content-type', 'allow', 'x-list', 'cache-control', 'retry-after'];

describe('the engine and treadle.testing', function () {
  this.timeout(120_000);
  let engine: EngineProcess | undefined;
  afterEach(() => engine?.stop('SIGKILL'));

  it('answer, store and deliver alike', async () => {
    const cwd = tempApplication({ 'config.yaml': CONFIG });
    cpSync(join(FOLDER, 'steps'), join(cwd, 'steps'), { recursive: true, filter: (path) => !path.includes('__pycache__') });
    engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
    const stage = { url: await engine.ready(), admin: new AdminClient(engine) };
    const acts = JSON.parse(readFileSync(join(FOLDER, 'scenario.json'), 'utf8')) as readonly Act[];
    expect(acts.length).to.be.greaterThan(100);
    const different: string[] = [];
    for (const { expect: expected, ...act } of acts) {
      const [told, wanted] = [JSON.stringify(await play(act, stage)), JSON.stringify(sorted(expected))];
      if (told !== wanted) different.push(`${JSON.stringify(act)}\n  engine:  ${told}\n  expected: ${wanted}`);
    }
    expect(different.join('\n')).to.equal('');
  });

  it('know the same ticks of cron expressions', () => {
    const cases = JSON.parse(readFileSync(join(FOLDER, 'ticks.json'), 'utf8')) as readonly { expression: string; zone: string; after: number; ticks: readonly (number | null)[] }[];
    expect(cases.length).to.be.greaterThan(150);
    for (const { expression, zone, after, ticks } of cases) {
      const schedule = Schedule.of(expression, zone);
      const found = ticks.map((_, index) => schedule.next(index === 0 ? after : ticks[index - 1] ?? NaN) ?? null);
      expect(found, `${expression} ${zone} after ${after}`).to.deep.equal(ticks);
    }
  });
});

async function play(act: Act, { url, admin }: { readonly url: string; readonly admin: AdminClient }): Promise<unknown> {
  if (act.http) return sorted(await answerOf(url, act, act.http));
  if (act.letters !== undefined) {
    const letters = (await admin.letters(act.letters)).map(({ reason, attempts, data }) => [reason, attempts, data]);
    return sorted(letters.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)));
  }
  await waitUntil('an idle queue', async () => (await admin.gathered()).every((line) => line.endsWith(': 0')));
  return undefined;
}

async function answerOf(url: string, { body, query = {}, headers = {} }: Act, [method, path]: readonly [string, string]): Promise<unknown> {
  const { payload, type } = encoded(body);
  const search = Object.entries(query).flatMap(([name, values]) => [values].flat().map((value): [string, string] => [name, value as string]));
  const to = `${url}${path}${search.length > 0 ? `?${new URLSearchParams(search).toString()}` : ''}`;
  const answer = await fetch(to, { method, headers: { ...type !== undefined && { 'content-type': type }, ...headers }, ...payload !== undefined && { body: payload } });
  const kept = Object.fromEntries(HEADERS.flatMap((name) => (answer.headers.has(name) ? [[name, answer.headers.get(name)]] : [])));
  return { status: answer.status, headers: kept, body: shown(await answer.text(), answer.headers.get('content-type') ?? '') };
}

function encoded(body: unknown): { payload?: string; type?: string } {
  if (body === undefined || body === null) return {};
  return typeof body === 'string' ? { payload: body, type: 'text/plain; charset=utf-8' } : { payload: JSON.stringify(body), type: 'application/json' };
}

function shown(text: string, type: string): unknown {
  if (text === '') return null;
  const body = (type.startsWith('application/json') ? JSON.parse(text) : text) as unknown;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { traceId: _, issues, ...rest } = body as { traceId?: string; issues?: readonly Record<'in' | 'path' | 'code' | 'message', string>[] };
  const lines = issues?.map(({ in: place, path, code, message }) => [place, path, code, message]).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { ...rest, ...lines && { issues: lines } };
}

/** Members in one order: Python and JavaScript write them as they come. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, sorted(member)]));
}
