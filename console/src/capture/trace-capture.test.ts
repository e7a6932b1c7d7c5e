import { expect } from 'chai';
import { type ShopUnderTest, startShop, until } from '../application.fixture.js';
import type { TraceCapture, TraceView } from '../contract/index.js';

describe('the capture of a trace', function () {
  this.timeout(90_000);
  let shop: ShopUnderTest;
  before(async () => {
    shop = await startShop();
  });
  after(() => shop?.stop());

  const settled = async (traceId: string): Promise<void> => until('the consumer', async () => (
    (await shop.json<TraceView>('GET', `/traces/${traceId}`)).rows ?? []).some(({ name }) => name === 'handler Notify'));
  const taken = async (traceId: string, token = shop.token): Promise<{ readonly headers: Headers; readonly text: string }> => {
    const response = await fetch(`http://127.0.0.1:${shop.port}/api/v1/traces/${traceId}/capture`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).to.equal(200);
    return { headers: response.headers, text: await response.text() };
  };

  it('is one file with the trace, its logs, its inputs digit for digit, and the versions of its Steps', async () => {
    const { traceId } = await shop.json<{ readonly traceId: string }>('POST', '/run', {
      kind: 'http', method: 'POST', path: '/orders', headers: { 'content-type': 'application/json', cookie: 'id=s3cret-cookie' }, body: '{"id":"o-1","amount":9007199254740993}',
    });
    await settled(traceId);
    const { headers, text } = await taken(traceId);
    expect(headers.get('content-disposition')).to.equal(`attachment; filename="trace-${traceId.slice(0, 8)}.capture.json"`);
    expect(text).to.contain('9007199254740993').and.not.to.contain('s3cret-cookie');
    const capture = JSON.parse(text) as TraceCapture;
    expect([capture.format, capture.version, capture.engine.mode]).to.deep.equal(['treadle-trace-capture', 1, 'production']);
    expect(capture.trace).to.deep.equal(await shop.json<TraceView>('GET', `/traces/${traceId}`));
    expect(capture.logs.items.map(({ message }) => message)).to.include('an order was placed');
    expect(capture.inputs).to.have.keys(['items']);
    expect(capture.inputs.items.map(({ step, trigger }) => `${step} ${trigger}`)).to.have.members(['Order http', 'Notify queue']);
    expect(capture.steps.map(({ step, file, sourceHash = '' }) => `${step} ${file} ${sourceHash.length}`)).to.have.members(['Order steps/order.step.js 64', 'Notify steps/notify.step.js 64']);
    expect(capture.flow.nodes.map(({ id }) => id)).to.have.members(['step:Order', 'step:Notify', 'topic:orders.placed']);
    expect(capture.flow.edges.every(({ from, to }) => capture.flow.nodes.some(({ id }) => id === from) && capture.flow.nodes.some(({ id }) => id === to))).to.equal(true);
  });

  it('has no inputs for a viewer, and says so', async () => {
    const { traceId } = await shop.order({ id: 'o-2' });
    await settled(traceId);
    const { inputs } = JSON.parse((await taken(traceId, 'a-token-of-the-viewer')).text) as TraceCapture;
    expect(inputs).to.deep.equal({ items: [], note: 'inputs are for the role operator; "viewer" has the role viewer' });
  });

  it('is taken by the first digits of an id, and not of a trace that is not kept', async () => {
    const { traceId } = await shop.order({ id: 'o-3' });
    await settled(traceId);
    expect((JSON.parse((await taken(traceId.slice(0, 12))).text) as TraceCapture).trace.traceId).to.equal(traceId);
    expect(await shop.json('GET', `/traces/${'f'.repeat(32)}/capture`)).to.include({ status: 404, code: 'not_found' });
  });
});
