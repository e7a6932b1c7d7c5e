import { expect } from 'chai';
import { http, OperationError, step } from 'treadle';
import type { TestEngine, TestEngineOptions } from './index.js';
import { failure, KitBench, steps } from './kit/kit-bench.fixture.js';

type Operations = NonNullable<TestEngineOptions['operations']>;

/** A module that cannot start, with an operation. */
const PLUGIN = `import { definePlugin, DELIVERY_CONFIG, Module } from '@treadle/api';

class BeatModule {
  async start() { throw new Error('no beat here'); }
}
Module({
  id: 'acme::beat::BeatModule', summary: 'Beats', stability: 'alpha', since: '1.0.0', config: { type: 'object', properties: {} },
  triggerKinds: [{
    type: 'acme.beat', summary: 'a beat', schema: { type: 'object', required: ['every'], properties: { every: { type: 'string' }, config: DELIVERY_CONFIG } },
    deliveryKey: ({ every }) => every,
  }],
  operations: [{ name: 'beat.set', summary: 'Sets it', args: { type: 'object', required: ['ms'], properties: { ms: { type: 'integer' } } } }],
})(BeatModule);
export default definePlugin({ name: 'beat', version: '1.0.0', api: '^0.1.0', modules: [BeatModule] });
`;

describe('operations of plugins in a test engine', function () {
  this.timeout(180_000);
  const bench = new KitBench();
  const start = (options: TestEngineOptions): Promise<TestEngine> => bench.start(options);
  afterEach(() => bench.end());

  type Call = (name: string, args?: unknown) => Promise<unknown>;
  const call = step({ name: 'Call', triggers: [http('POST', '/call/:name')] }, async ({ body, pathParams }, ctx) => {
    try {
      return { status: 200, body: await (ctx.call as unknown as Call)(pathParams.name, body) };
    } catch (error) {
      return { status: 502, body: `${(error as OperationError).code}: ${(error as Error).message}` };
    }
  });

  it('are played by functions of the test, with who calls and a span each', async () => {
    const got: unknown[] = [];
    const app = await start({
      steps: steps(call),
      operations: {
        'mqtt.publish': (args, caller) => { got.push(args, caller); return { sent: true }; },
        'mqtt.fails': () => { throw new OperationError('BrokerUnreachable', 'gone'); },
        'mqtt.breaks': () => { throw new TypeError('no'); },
      } as Operations,
    });
    const { body, traceId } = await app.http('POST', '/call/mqtt.publish', { body: { topic: 't' } });
    expect([body, got]).to.deep.equal([{ sent: true }, [{ topic: 't' }, { step: 'Call', traceId }]]);
    const span = app.spans(traceId).find(({ name }) => name === 'mqtt.publish');
    const parent = app.spans(traceId).find(({ spanId }) => spanId === span?.parentSpanId);
    expect([span?.stepName, parent?.stepName]).to.deep.equal(['Call', 'Call']);
    expect((await app.http('POST', '/call/mqtt.fails', { body: {} })).body).to.equal('BrokerUnreachable: gone');
    expect((await app.http('POST', '/call/mqtt.breaks', { body: {} })).body).to.equal('OPERATION_FAILED: "mqtt.breaks" failed: no');
    expect((await app.http('POST', '/call/mqtt.other', { body: {} })).body).to.equal('OPERATION_UNAVAILABLE: no loaded module serves operation "mqtt.other"');
    await app.reset();
    expect((await app.http('POST', '/call/mqtt.publish', { body: { topic: 'u' } })).body).to.deep.equal({ sent: true });
  });

  it('are checked as their module declares them, also where the test does without that', async () => {
    const root = bench.folder({
      'config.yaml': 'plugins: [./plugin.js]\nmodules:\n  - class: modules::http::HttpModule\n  - class: modules::steps::StepsModule\n  - class: acme::beat::BeatModule\n',
      'plugin.js': PLUGIN,
    });
    const without = ['acme::beat::BeatModule'];
    const app = await start({ root, steps: steps(call), without, operations: { 'beat.set': (args: unknown) => args } as Operations });
    expect((await app.http('POST', '/call/beat.set', { body: { ms: 5 } })).body).to.deep.equal({ ms: 5 });
    expect((await app.http('POST', '/call/beat.set', { body: { mss: 5 } })).body)
      .to.equal('InvalidValue: "beat.set" was refused: "ms" is missing');
    expect((await failure(start({ root, steps: steps(call) }))).message).to.contain('no beat here');
    expect((await failure(start({ root, without: ['acme::beat::Other'] }))).message).to.contain('"without" names acme::beat::Other, which the configuration does not have');
  });

  it('leave the triggers of their module to deliveries of the test, with retries and dead letters', async () => {
    const root = bench.folder({
      'config.yaml': 'plugins: [./plugin.js]\nmodules:\n  - class: modules::queue::QueueModule\n  - class: modules::steps::StepsModule\n  - class: acme::beat::BeatModule\n',
      'plugin.js': PLUGIN,
      'steps/beaten.step.js': `export const config = { name: 'Beaten', triggers: [{ type: 'acme.beat', every: 'hour', config: { maxAttempts: 2 } }] };
export const handler = async (input, ctx) => { ctx.logger.info('beat', { input, attempt: ctx.attempt }); if (input.broken) throw new Error('no'); };`,
    });
    const app = await start({ root, without: ['acme::beat::BeatModule'] });
    const trigger = { type: 'acme.beat', key: 'hour' };
    await app.deliver({ step: 'Beaten', trigger, input: { n: 1 } });
    await app.deliver({ step: 'Beaten', trigger, input: { broken: true } });
    await app.untilIdle();
    await app.clock.advance(60_000);
    expect(app.logs({ step: 'Beaten', level: 'info' }).map(({ fields }) => fields)).to.deep.equal([
      { input: { n: 1 }, attempt: 1 }, { input: { broken: true }, attempt: 1 }, { input: { broken: true }, attempt: 2 },
    ]);
    expect((await app.deadLetters({ step: 'Beaten' })).map(({ reason, attempts, data }) => [reason, attempts, data])).to.deep.equal([['max_attempts', 2, { broken: true }]]);
    expect((await failure(app.deliver({ step: 'Beaten', trigger: { ...trigger, key: 'day' }, input: 1 }))).message).to.contain('has no acme.beat trigger with the key "day"');
  });
});
