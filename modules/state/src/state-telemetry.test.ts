import { type Call, OperationSpans } from '@treadle/api';
import { RecordingTelemetry } from '@treadle/testing';
import { expect } from 'chai';
import { serviceOver } from './state.fixture.js';
import { stateOperations } from './state-operations.js';
import { stateMetrics } from './state-telemetry.js';

const call = { spanId: 'c'.repeat(16), request: { step: 'A', traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true } } as Call;

describe('telemetry of the state', () => {
  it('counts every operation as its type, with errors apart, and times it', async () => {
    const telemetry = new RecordingTelemetry();
    const { state, adapter } = serviceOver({ n: 1 });
    state.observer = stateMetrics(telemetry);
    await state.get('g', 'k');
    await state.getEntry('g', 'k');
    await state.set('g', 'k', 1);
    await state.compareAndSet('g', 'k', { revision: 2, value: 2 });
    await state.update('g', 'k', [{ type: 'set', value: 3 }]);
    await state.delete('g', 'k');
    await state.compareAndSet('g', 'k', { revision: 9, value: 2 }).catch(() => undefined);
    adapter.failure = new Error('gone');
    await state.get('g', 'k').catch(() => undefined);
    const expected = {
      'type=get,outcome=ok': 2, 'type=set,outcome=ok': 2, 'type=update,outcome=ok': 1, 'type=delete,outcome=ok': 1, 'type=set,outcome=error': 1,
      'type=get,outcome=error': 1,
    };
    expect(telemetry.counts('state.operation.count')).to.deep.include(expected);
    expect(telemetry.counts('state.operation.duration')).to.deep.include(expected);
    expect(telemetry.seriesOf('state.operation.duration').map(({ options }) => options.unit)).to.deep.equal(Array.from({ length: 6 }, () => 's'));
  });

  it('writes a span for what a handler asks, named after the five kinds, with group, key and revision', async () => {
    const telemetry = new RecordingTelemetry();
    const { state, clock } = serviceOver({ n: 1 });
    const operations = new Map(stateOperations(state, new OperationSpans(telemetry, clock)));
    const ask = (name: string, args: object): unknown => operations.get(name)?.(args, { call, step: {} as never }).catch(() => undefined);
    for (const name of ['state.get', 'state.getEntry']) await ask(name, { group: 'g', key: 'k' });
    await ask('state.update', { group: 'g', key: 'k', ops: [{ type: 'set', path: 'n', value: 2 }] });
    await ask('state.compareAndSet', { group: 'g', key: 'k', revision: 1, value: 1 });
    await ask('state.compareAndSet', { group: 'g', key: 'k', revision: 2, value: 1 });
    await ask('state.set', { group: 'g', key: 'k', value: 5 });
    await ask('state.update', { group: 'g', key: 'k', ops: [{ type: 'remove' }] });
    await ask('state.set', { group: 'g', key: 'k', value: 5 });
    for (let times = 0; times < 2; times += 1) await ask('state.delete', { group: 'g', key: 'k' });
    await ask('state.set', { group: 7, key: 'k'.repeat(1000) });
    expect(telemetry.spans.map(({ name, attributes, error }) => [name, attributes, error?.type])).to.deep.equal([
      ['state.get', { 'state.operation': 'get', 'state.group': 'g', 'state.key': 'k', 'state.rev.after': 1 }, undefined],
      ['state.get', { 'state.operation': 'getEntry', 'state.group': 'g', 'state.key': 'k', 'state.rev.after': 1 }, undefined],
      ['state.update', { 'state.operation': 'update', 'state.group': 'g', 'state.key': 'k', 'state.rev.before': 1, 'state.rev.after': 2 }, undefined],
      ['state.set', { 'state.operation': 'compareAndSet', 'state.group': 'g', 'state.key': 'k' }, 'StateConflict'],
      ['state.set', { 'state.operation': 'compareAndSet', 'state.group': 'g', 'state.key': 'k', 'state.rev.before': 2, 'state.rev.after': 3 }, undefined],
      ['state.set', { 'state.operation': 'set', 'state.group': 'g', 'state.key': 'k', 'state.rev.before': 3, 'state.rev.after': 4 }, undefined],
      ['state.update', { 'state.operation': 'update', 'state.group': 'g', 'state.key': 'k', 'state.rev.before': 4 }, undefined],
      ['state.set', { 'state.operation': 'set', 'state.group': 'g', 'state.key': 'k', 'state.rev.after': 1 }, undefined],
      ['state.delete', { 'state.operation': 'delete', 'state.group': 'g', 'state.key': 'k', 'state.rev.before': 1 }, undefined],
      ['state.delete', { 'state.operation': 'delete', 'state.group': 'g', 'state.key': 'k' }, undefined],
      ['state.set', { 'state.operation': 'set', 'state.key': 'k'.repeat(256) }, telemetry.spans.at(-1)?.error?.type],
    ]);
    expect(telemetry.spans.at(-1)?.error).to.be.an('object');
    // A value may have a member of that name.
    await state.set('g', 'k', { revision: 77 });
    await ask('state.get', { group: 'g', key: 'k' });
    await state.delete('g', 'k');
    await ask('state.get', { group: 'g', key: 'k' });
    expect(telemetry.spans.slice(-2).map(({ attributes }) => attributes['state.rev.after'])).to.deep.equal([1, undefined]);
    for (const span of telemetry.spans) expect(span).to.include({ parentSpanId: call.spanId, stepName: 'A', kind: 'internal' });
    expect([...operations.keys()].length).to.equal(9);
  });
});
