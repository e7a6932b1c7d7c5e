import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { SpanRecord } from '@treadle/api';
import { BUILTIN_PLUGINS } from '@treadle/engine';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import { PYTHON_PATH } from '@treadle/runtime-python';
import { RecordingTelemetry } from '@treadle/testing';
import { expect } from 'chai';
import { RECORDER, recordingPlugin } from '../support/recording-observability.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const memory = (block: string): string => `adapter: { class: modules::${block}::adapters::Sqlite, config: { store_method: in_memory } }`;
const YAML = `engine: { implicit_modules: false }
modules:
  - class: ${RECORDER}
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: false }
  - class: modules::queue::QueueModule
    config: { ${memory('queue')} }
  - class: modules::state::StateModule
    config: { ${memory('state')} }
  - class: modules::stream::StreamModule
    config: { port: 0, ${memory('stream')} }
`;

const STEPS = {
  'steps/order.step.ts': `import { http, step } from 'treadle';
export default step({ name: 'Order', triggers: [http('POST', '/orders')], enqueues: ['placed'] }, async (_input, ctx) => {
  await ctx.enqueue({ topic: 'placed', data: { id: '7' } });
  return { status: 202 };
});
`,
  'steps/price_step.py': `from opentelemetry import metrics, trace
from treadle import queue, step

tracer = trace.get_tracer("prices")
priced = metrics.get_meter("prices").create_counter("orders.priced", unit="{order}")


def look_up(ctx, order):
    with tracer.start_as_current_span("look up", kind=trace.SpanKind.CLIENT, attributes={"order": order["id"]}):
        return 3


def price(order, ctx):
    ctx.state.set("orders", order["id"], {"price": look_up(ctx, order)})
    ctx.streams.board.set("all", order["id"], {"status": "priced"})
    ctx.trace.set_attribute("order.price", 3)
    priced.add(1, {"kind": "test"})
    ctx.enqueue({"topic": "priced", "data": order})


step({"name": "Price", "triggers": [queue("placed")], "enqueues": ["priced"]}, price)
`,
  'steps/board_stream.py': 'config = {"name": "board", "schema": {"type": "object"}}\n',
  'steps/ship.step.js': `export const config = { name: 'Ship', triggers: [{ type: 'queue', topic: 'priced' }] };
export const handler = async (order, ctx) => { await ctx.state.get('orders', order.id); };
`,
};

/** OpenTelemetry's Python API is a stand-in: see the tests of the Python package. */
describe('telemetry of an application in TypeScript, Python and JavaScript', function () {
  this.timeout(120_000);
  let test: TestComposition;
  let telemetry: RecordingTelemetry;

  before(async () => {
    telemetry = new RecordingTelemetry();
    const root = tempApplication(STEPS);
    cpSync(join(PYTHON_PATH, 'tests/fake_opentelemetry/opentelemetry'), join(root, 'opentelemetry'), { recursive: true, filter: (path) => !path.includes('__pycache__') });
    test = await createTestComposition({ root, yaml: YAML, builtins: [...BUILTIN_PLUGINS, recordingPlugin(telemetry)] });
    await waitUntil('the Steps', () => ['Order', 'Price', 'Ship'].every((name) => test.engine.dispatch.invoker.servers(name) === 1));
  });
  after(() => test.stop());

  it('is one trace with every span below what caused it, those of Python too', async () => {
    const response = await fetch(`${test.url('http')}/orders`, { method: 'POST' });
    const traceId = response.headers.get('x-trace-id');
    const all = (): SpanRecord[] => telemetry.spans.filter((span) => span.traceId === traceId);
    await waitUntil('the last handler', () => all().some(({ name }) => name === 'queue.consume priced'));
    const parentOf = (name: string): string | undefined => {
      const parent = all().find((span) => span.name === name)?.parentSpanId;
      return all().find(({ spanId }) => spanId === parent)?.name;
    };
    const below = Object.fromEntries(all().map(({ name }) => [name, parentOf(name)]));
    expect(below).to.include({
      'handler Order': 'POST /orders', 'queue.publish placed': 'handler Order', 'queue.consume placed': 'queue.publish placed', 'handler Price': 'queue.consume placed',
      'look up': 'handler Price', 'state.set': 'handler Price', 'stream.set': 'handler Price', 'queue.publish priced': 'handler Price',
      'queue.consume priced': 'queue.publish priced', 'handler Ship': 'queue.consume priced', 'state.get': 'handler Ship',
    });
    expect(all().find(({ name }) => name === 'look up')).to.deep.include({ kind: 'client', stepName: 'Price', attributes: { order: '7' } });
    expect(all().find(({ name }) => name === 'handler Price')?.attributes).to.include({ 'order.price': 3 });
    await waitUntil('the counter', () => telemetry.counts('orders.priced')['kind=test'] === 1);
  });
});
