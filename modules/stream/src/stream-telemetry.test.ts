import { type Call, OperationError, OperationSpans, WrittenJson } from '@treadle/api';
import { fakeClock, RecordingTelemetry } from '@treadle/testing';
import { expect } from 'chai';
import { streamOperations, type WritingStreams } from './stream-operations.js';

const call = { spanId: 'c'.repeat(16), request: { step: 'A', traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true } } as Call;

describe('telemetry of streams', () => {
  it('writes a span for what a handler asks, with stream, group, id and revision', async () => {
    const telemetry = new RecordingTelemetry();
    const streams = {
      put: async () => new WrittenJson('1'), update: async () => ({ value: 1, revision: 5 }), list: async () => [], send: () => Promise.reject(new OperationError('StreamUnknown', 'no such stream')),
    } as unknown as WritingStreams;
    const operations = new Map(streamOperations(streams, new OperationSpans(telemetry, fakeClock())));
    const ask = (name: string, args: object): unknown => operations.get(name)?.(args, { call, step: {} as never }).catch(() => undefined);
    await ask('stream.set', { stream: 's', groupId: 'g', id: 'i', item: 1 });
    await ask('stream.update', { stream: 's', groupId: 'g', id: 'i', ops: [] });
    await ask('stream.list', { stream: 's', groupId: 'g' });
    await ask('stream.send', { stream: 's', groupId: 'g', event: { type: 't', data: 1 } });
    expect(telemetry.spans.map(({ name, attributes, error }) => [name, attributes, error?.type])).to.deep.equal([
      ['stream.set', { 'stream.name': 's', 'stream.group': 'g', 'stream.id': 'i' }, undefined],
      ['stream.update', { 'stream.name': 's', 'stream.group': 'g', 'stream.id': 'i', 'stream.rev.after': 5 }, undefined],
      ['stream.list', { 'stream.name': 's', 'stream.group': 'g' }, undefined],
      ['stream.send', { 'stream.name': 's', 'stream.group': 'g' }, 'StreamUnknown'],
    ]);
    for (const span of telemetry.spans) expect(span).to.include({ parentSpanId: call.spanId, stepName: 'A' });
  });
});
