import { expect } from 'chai';
import { type ConsoleUnderTest, moduleOf, startConsole } from '../console.fixture.js';
import type { Operation } from '../api/operation.js';
import type { Refusal } from '../server/refusal.js';
import { payloadView } from './payload-view.js';
import { WITHHELD } from './stand-in.js';

const NONE = { name: 'ops', role: 'admin', payloads: false } as const;
const operation = (path: string, method: Operation['method'] = 'GET'): Operation => ({ method, path: `/api/v1${path}`, events: path.endsWith('/watch') });

async function refusal(path: string, query: Readonly<Record<string, string>>, body?: unknown): Promise<string> {
  const view = await payloadView(NONE, operation(path, body === undefined ? 'GET' : 'POST'));
  try {
    view.admit({ query, body });
    return 'admitted';
  } catch (error) {
    const { status, code, at } = error as Refusal;
    return `${status} ${code}${at ? ` ${at.from}-${at.to}` : ''}`;
  }
}

describe('questions of a caller who sees no payloads', () => {
  const refused: readonly (readonly [string, Readonly<Record<string, string>>, string, unknown?])[] = [
    ['/logs', { text: 'a' }, ''], ['/logs', { fields: '{"card":"4"}' }, ''], ['/logs', { q: 'level:warn card:4*' }, ' 11-15'], ['/logs', { q: 'free' }, ' 0-4'], ['/logs', { q: '-(level:warn OR has:card)' }, ' 20-24'],
    ['/logs/search', {}, '', { text: 'a' }], ['/logs/histogram', {}, ' 0-4', { q: 'card:>4' }], ['/logs/patterns', { q: 'card:4' }, ' 0-4'], ['/logs/facets', { q: 'customer.id:4' }, ' 0-11'],
    ['/traces', { q: 'order.note:a' }, ' 0-10'], ['/traces', { attributes: '{"order.note":"a"}' }, ''], ['/traces', { text: 'a' }, ''], ['/traces/groups', { by: 'order.note' }, ''], ['/traces/search', {}, '', { attributes: { a: 1 } }],
    ['/state/groups/:group/search', { q: 'value:4' }, ' 0-5'], ['/state/groups/:group/search', { q: 'key:a customer.id:4' }, ' 6-17'], ['/state/groups/:group/search', { q: '4' }, ' 0-1'], ['/queues/search', { q: 'topic:a data.card:4' }, ' 8-17'], ['/queues/dead-letters', { q: 'card:4' }, ' 0-4'],
    ['/traces/messages', { q: 'order.note:a' }, ' 0-10'], ['/streams/:stream/groups/:group', { q: 'id:a type:4' }, ' 5-9'], ['/streams/watch', { q: 'revision:4' }, ' 0-8'], ['/metrics', { q: 'topic:a' }, ' 0-5'],
  ];
  for (const [path, query, at, body] of refused) {
    it(`are refused: ${path} ${JSON.stringify(body ?? query)}`, async () => expect(await refusal(path, query, body)).to.equal(`403 payloads_withheld${at}`));
  }

  it('are admitted where they ask for none', async () => {
    const asked: readonly (readonly [string, Readonly<Record<string, string>>, unknown?])[] = [
      ['/logs', { q: 'level:>=warn step:Notify* message:*free* -source:engine OR trace:4' }], ['/logs', { text: '' }], ['/logs/search', {}, { q: 'service:shop', level: 'warn' }],
      ['/traces', { q: 'status:error duration:>200ms http.status:5xx topic:a messaging.message.id:m state.key:k' }], ['/traces/groups', { by: 'state.group' }], ['/traces/groups', { by: 'error' }], ['/state/groups/:group/search', { q: 'key:a* revision:>3' }],
      ['/queues/search', { q: 'topic:a state:waiting age:>1s group:g' }], ['/queues/dead-letters', { q: 'error:*timeout* reason:a' }], ['/traces/messages', { q: 'id:a state:done age:>1s' }],
      ['/streams/:stream/groups/:group', { q: 'id:a revision:>3' }], ['/streams/watch', { q: 'type:update time:>2026-01-01' }],
      ['/metrics/lines', { by: 'http.route' }],
      ['/logs', { q: 'level:' }],
    ];
    for (const [path, query, body] of asked) expect(await refusal(path, query, body), JSON.stringify(query)).to.equal('admitted');
  });

  it('are refused with a stand-in, which nobody means to be written', async () => {
    for (const body of [{ value: WITHHELD }, { input: JSON.stringify({ a: [WITHHELD] }) }, { [WITHHELD]: 1 }]) expect(await refusal('/steps/replay', {}, body)).to.equal('400 payload_stand_in');
    (await payloadView({ name: 'all', role: 'viewer' }, operation('/steps/replay', 'POST'))).admit({ query: {}, body: { value: WITHHELD } });
  });
});

describe('a module that says nothing of what it answers', () => {
  const ID = 'acme::mail::MailModule';
  const asked: string[] = [];
  let under: ConsoleUnderTest;
  before(async () => {
    const MAIL = moduleOf(ID, ({ admin }) => {
      admin.get('/outbox', async () => void asked.push('GET'), []);
      admin.post('/resend', async () => void asked.push('POST'), []);
      admin.events('/sent', () => () => void asked.push('EVENTS'), []);
    });
    under = await startConsole({ plugins: [MAIL], modules: `  - class: ${ID}`, config: 'auth: { tokens: [{ name: ops, role: operator, payloads: false, token: a-token-without-payloads }] }' });
  });
  after(() => under.test.stop());

  it('answers those who see no payloads nothing, and does nothing for them', async () => {
    const ask = async (method: string, path: string, token: string): Promise<readonly unknown[]> => {
      const response = await fetch(`http://127.0.0.1:${under.port}/api/v1${path}`, { method, headers: { authorization: `Bearer ${token}`, 'x-console': '1', 'content-type': 'application/json' }, ...method === 'POST' && { body: '{}' } });
      return [response.status, response.status === 200 || response.status === 204 ? undefined : (await response.json() as { code: string }).code];
    };
    for (const [method, path] of [['GET', 'outbox'], ['POST', 'resend'], ['GET', 'sent']] as const) {
      expect(await ask(method, `/modules/${ID}/${path}`, 'a-token-without-payloads'), path).to.deep.equal([403, 'payloads_withheld']);
    }
    expect(asked).to.deep.equal([]);
    expect(await ask('GET', `/modules/${ID}/outbox`, under.token)).to.deep.equal([204, undefined]);
    expect((await under.ask('GET', '/api/v1/meta')).json).to.have.nested.property('session.payloads', true);
  });
});

describe('the stand-in', () => {
  it('is the same for the page', async () => {
    const page = await import(new URL('../../app/src/api/withheld.ts', import.meta.url).href) as { readonly WITHHELD: string };
    expect(page.WITHHELD).to.equal(WITHHELD);
  });
});
