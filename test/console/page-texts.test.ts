import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { FlowGraph, RunHttp } from '../../console/src/contract/index.js';
import { fieldTime, writtenTime } from '../../console/app/src/format/time.js';
import { fetchOf, httpieOf, pythonOf } from '../../console/app/src/views/endpoints/request-texts.js';
import { mermaidOf } from '../../console/app/src/views/flows/mermaid.js';

const REQUEST: RunHttp = { kind: 'http', method: 'POST', path: '/a?b=c%20d', headers: { 'content-type': 'application/json', 'x-quote': "it's" }, body: '{"title":"a \\"lamp\\" is dark, ü"}' };

describe('texts that the page of the console gives', () => {
  it('sends the request that it was made of, by fetch and by Python', async function () {
    this.timeout(60_000);
    const seen: { readonly request: IncomingMessage; readonly body: string }[] = [];
    const server = createServer((request, response) => void text(request).then((body) => {
      seen.push({ request, body });
      response.end('ok');
    }));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor as new (code: string) => () => Promise<void>;
    await new AsyncFunction(fetchOf(base, REQUEST))();
    await new AsyncFunction(fetchOf(base, { kind: 'http', method: 'GET', path: '/plain' }))();
    await run('python3', pythonOf(base, REQUEST));
    server.close();
    const sent = seen.map(({ request: { method, url, headers }, body }) => [method, url, headers['x-quote'], body]);
    const whole = ['POST', '/a?b=c%20d', "it's", REQUEST.body];
    expect(sent).to.deep.equal([whole, ['GET', '/plain', undefined, ''], whole]);
  });

  it('quotes a request for HTTPie', () => {
    expect(httpieOf('http://x', { ...REQUEST, headers: { 'x-quote': "it's", 'x-empty': '' } })).to.equal(`http --raw '{"title":"a \\"lamp\\" is dark, ü"}' POST 'http://x/a?b=c%20d' 'x-quote:it'\\''s' 'x-empty;'`);
  });

  it('draws a flow as a diagram of Mermaid', () => {
    const step = { kind: 'step', id: 'step:A "1"', step: 'A "1"', title: 'A "1"' } as unknown as FlowGraph['nodes'][number];
    const graph: Pick<FlowGraph, 'nodes' | 'edges'> = {
      nodes: [step, { kind: 'topic', id: 'topic:t', title: 't' }, { kind: 'state', id: 'state:s', title: 's' }],
      edges: [{ from: step.id, to: 'topic:t', kind: 'enqueues', declared: true, seen: 2 }, { from: 'topic:t', to: step.id, kind: 'consumes', declared: true, seen: 0 }, { from: step.id, to: 'state:s', kind: 'touches', declared: false, seen: 1 }, { from: step.id, to: 'topic:folded', kind: 'enqueues', declared: true, seen: 1 }],
    };
    expect(mermaidOf(graph)).to.equal('flowchart LR\n  n0["A #quot;1#quot;"]\n  n1(["t"])\n  n2[("s")]\n  n0 --> n1\n  n1 -.-> n0\n  n0 -.- n2\n');
  });

  it('takes a field of date and time for the moment that it shows, in each zone', () => {
    for (const zone of ['utc', 'local', 'relative'] as const) {
      const at = '2026-03-29T01:30:05.000Z';
      expect(writtenTime(fieldTime(at, zone), zone), zone).to.equal(Date.parse(at));
    }
    expect(fieldTime('2026-03-29T01:30:05.700Z', 'utc')).to.equal('2026-03-29T01:30:05');
    expect(fieldTime('yesterday', 'utc')).to.equal('');
  });
});

async function run(program: string, code: string): Promise<void> {
  const child = spawn(program, ['-c', code], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [status] = await once(child, 'exit') as [number];
  expect(status).to.equal(0);
}
