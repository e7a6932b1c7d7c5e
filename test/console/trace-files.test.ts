import { expect } from 'chai';
import { traceMarkdown } from '../../console/app/src/views/traces/markdown.js';
import { readCapture } from '../../console/app/src/views/traces/read-capture.js';
import type { SpanRow, TraceView } from '../../console/src/contract/index.js';

const row = (members: Partial<SpanRow>): SpanRow => ({
  traceId: 'a'.repeat(32), spanId: '1', name: 'POST /orders', kind: 'server', startTime: 1000, durationMs: 10, stepName: '', attributes: {}, depth: 0, children: 0, critical: false, ...members,
});

describe('a trace to take along', () => {
  const view: TraceView = {
    traceId: 'a'.repeat(32), omitted: 0, path: { segments: [], startTime: 1000, durationMs: 60, byKind: { handler: 40, 'queue wait': 20 } },
    rows: [row({}), row({ spanId: '2', depth: 1, name: 'consume *orders*', kind: 'consumer', stepName: 'Notify', attempt: 2, wait: { kind: 'backoff', startTime: 1010, durationMs: 5 }, error: { type: 'TypeError', message: 'no <mail>\nsecond' } })],
  };

  it('is a summary in Markdown, in which text of others stays text', () => {
    expect(traceMarkdown(view).split('\n')).to.deep.equal([
      '## POST /orders: settled after a retry', '', `- trace \`${'a'.repeat(32)}\`, 1970-01-01T00:00:01.000Z`, '- reply after 10.0 ms, last effect after 60.0 ms', '- 2 spans in `Notify`',
      '- critical path: handler 40.0 ms, queue wait 20.0 ms', '', '### Errors', '', '- consume \\*orders\\* (`Notify`): **TypeError** no \\<mail\\> second', '', '### Spans', '',
      '- POST /orders 10.0 ms', '  - _retry backoff 5.00 ms_', '  - consume \\*orders\\* (`Notify`), attempt 2 10.0 ms **TypeError**', '',
    ]);
  });

  it('is read from a file, and one that is none says why', () => {
    const file = { format: 'treadle-trace-capture', version: 1, trace: view, logs: { items: [], total: 0 }, inputs: { items: [] }, steps: [], flow: { nodes: [], edges: [] } };
    expect(readCapture(JSON.stringify(file)).capture?.trace.traceId).to.equal(view.traceId);
    for (const [text, words] of [['{', 'no JSON'], ['null', 'no capture'], ['{"format":"har"}', 'no capture'], [JSON.stringify({ ...file, version: 2 }), 'version 2'], [JSON.stringify({ ...file, logs: undefined }), 'lacks a part'], [JSON.stringify({ ...file, trace: 1 }), 'lacks a part']] as const) {
      const read = readCapture(text);
      expect(read.capture === undefined && read.fault, text.slice(0, 40)).to.contain(words);
    }
  });
});
