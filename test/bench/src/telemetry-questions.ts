import { type LogRecord, type SpanRecord, Telemetry } from '@treadle/api';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';

/** Something that operators ask the admin API. */
export interface Question {
  readonly name: string;
  /** Below OtelModule's routes. */
  readonly path: string;
  readonly limitMs: number;
  readonly fill: (telemetry: Telemetry) => void;
}

export interface Timed {
  readonly firstMs: number;
  readonly laterMs: readonly number[];
  /** CPU of the engine and of who asks, which are one process: what a busy machine does not stretch. */
  readonly firstCpuMs: number;
  readonly laterCpuMs: readonly number[];
  readonly bytes: number;
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPANS = 10_000;
const RECORDS = 100_000;
const LATER = 20;
const BEGAN = Date.now() - 60_000;
const YAML = `engine: { implicit_modules: false }
modules:
  - { class: modules::console::ConsoleModule, config: { port: 0, auth: { token: bench } } }
  - { class: modules::observability::OtelModule, config: { memory_max_spans: ${SPANS}, logs_max_count: ${RECORDS}, level: warn } }
`;

export const QUESTIONS: readonly Question[] = [
  { name: 'a trace of 10,000 spans, all of them', path: `/traces/${TRACE}?limit=${SPANS}`, limitMs: 50, fill: fillTrace },
  { name: 'the same, as many as the console asks for', path: `/traces/${TRACE}`, limitMs: 50, fill: fillTrace },
  { name: 'a text in 100,000 log records', path: '/logs?text=item%2099999&limit=100', limitMs: 100, fill: fillLog },
  { name: 'a text that no record has', path: '/logs?text=nowhere&limit=100', limitMs: 100, fill: fillLog },
];

/** Fills a fresh engine and asks it over HTTP, once cold and then some times more. */
export async function askTelemetry({ path, fill }: Question): Promise<Timed> {
  const test = await createTestComposition({ yaml: YAML });
  try {
    fill(test.engine.port(Telemetry) as Telemetry);
    // The connection and the admin API are there; the question is new.
    await ask(test, '/telemetry');
    const first = await ask(test, path);
    const later: Answer[] = [];
    for (let n = 0; n < LATER; n++) later.push(await ask(test, path));
    return { firstMs: first.ms, firstCpuMs: first.cpuMs, laterMs: later.map(({ ms }) => ms), laterCpuMs: later.map(({ cpuMs }) => cpuMs), bytes: first.bytes };
  } finally {
    await test.stop();
  }
}

interface Answer { readonly ms: number; readonly cpuMs: number; readonly bytes: number }

async function ask(test: TestComposition, path: string): Promise<Answer> {
  const url = `${test.url('console')}/api/v1/modules/${encodeURIComponent('modules::observability::OtelModule')}${path}`;
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const answer = await fetch(url, { headers: { authorization: 'Bearer bench' } });
  const { byteLength } = await answer.arrayBuffer();
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return { ms, cpuMs: (user + system) / 1000, bytes: byteLength };
}

const hex = (n: number): string => n.toString(16).padStart(16, '0');

/** One request that fans out: 5,000 messages, each published and consumed. */
function fillTrace(telemetry: Telemetry): void {
  const base: Omit<SpanRecord, 'spanId' | 'name' | 'kind' | 'attributes'> = { traceId: TRACE, startTime: BEGAN, durationMs: 1, stepName: 'Import' };
  telemetry.span({ ...base, spanId: hex(1), name: 'POST /imports', kind: 'server', durationMs: 9000, attributes: { 'http.route': '/imports', 'http.response.status_code': 202 } });
  for (let n = 2; n < SPANS; n += 2) {
    const startTime = BEGAN + n / 2;
    const attributes = { 'messaging.system': 'treadle', 'messaging.destination.name': 'items', 'messaging.message.id': `0198c0de-0000-7000-8000-${hex(n).slice(4)}` };
    telemetry.span({ ...base, startTime, spanId: hex(n), parentSpanId: hex(1), name: 'queue.publish items', kind: 'producer', attributes });
    telemetry.span({
      ...base, startTime: startTime + 2, spanId: hex(n + 1), parentSpanId: hex(n), name: 'queue.consume items', kind: 'consumer', stepName: '',
      attributes: { ...attributes, 'queue.enqueued_at': startTime + 1, 'step.name': 'Item', 'step.attempt': 1, 'queue.outcome': 'done' },
    });
  }
}

function fillLog(telemetry: Telemetry): void {
  for (let n = 0; n < RECORDS; n++) {
    telemetry.log({
      timestamp: new Date(BEGAN + n / 2).toISOString(), level: n % 50 === 0 ? 'warn' : 'info', message: `imported item ${n} of ${RECORDS}`, traceId: TRACE,
      spanId: hex(n), service: 'bench', stepName: 'Item', fields: { item: n, source: 'catalogue.csv', took: n % 17 },
    } satisfies LogRecord);
  }
}
