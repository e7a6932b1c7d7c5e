import type { StepRecord } from '@treadle/api';
import { expect } from 'chai';
import type { FlowFacts } from '../flows/flow-graph.js';
import { flowFindings } from './flow-findings.js';

const step = (id: string, enqueues: readonly string[], topic?: string): StepRecord => ({
  id, file: `steps/${id}.step.ts`, line: 3, language: 'typescript', configHash: id,
  config: { name: id, enqueues, triggers: topic === undefined ? [{ type: 'http', method: 'GET', path: `/${id}` }] : [{ type: 'queue', topic }] },
} as StepRecord);
const ran = (id: string, count: number, enqueued: Readonly<Record<string, number>> = {}): FlowFacts['activity']['items'][number] => (
  { step: id, runs: { count, errors: 0, p50Ms: 1, p95Ms: 2, lastAt: 0 }, errors: [], enqueued, consumed: {}, stateGroups: {}, stateWrites: {}, streams: {} });
const found = (steps: readonly StepRecord[], items: FlowFacts['activity']['items'] = []): readonly string[] => flowFindings({
  steps, diagnostics: [], activity: { items, spans: 0 }, queues: { items: [], gone: [], unrouted: [] }, servers: () => 1,
}).map(({ code, about, fix }) => [code, about.step, about.topic, fix].filter((part) => part !== undefined).join(' '));

describe('findings about Steps', () => {
  it('a topic that the config does not say, with the text that mends it', () => {
    expect(found([step('a', ['x']), step('b', [], 'x'), step('c', [], 'y')], [ran('a', 3, { x: 1, y: 2 })])).to.deep.equal(["undeclared_enqueue a y enqueues: ['x', 'y'],"]);
  });

  it('a topic that was never enqueued to, once there were enough runs', () => {
    const steps = [step('a', ['x']), step('b', [], 'x')];
    expect(found(steps, [ran('a', 19)])).to.deep.equal([]);
    expect(found(steps, [ran('a', 20)])).to.deep.equal(['enqueue_never_seen a x']);
    expect(found(steps, [ran('a', 20, { x: 1 })])).to.deep.equal([]);
  });

  it('topics that end or begin nowhere', () => {
    expect(found([step('a', ['x'])])).to.deep.equal(['topic_without_consumer x']);
    expect(found([step('b', [], 'x')])).to.deep.equal(['topic_without_producer x']);
  });

  it('what is diagnosed of a topic, once', () => {
    const diagnostics = ['STEP_TOPIC_NOT_CONSUMED', 'STEP_TOPIC_NOT_ENQUEUED', 'STEP_SYNTAX'].map((code) => ({ severity: 'warning', code, message: code, remedy: '', file: 'steps/a.step.ts' }) as const);
    const facts = { steps: [step('a', ['x'], 'y')], diagnostics, activity: { items: [], spans: 0 }, queues: { items: [], gone: [], unrouted: [] }, servers: () => 1 };
    expect(flowFindings(facts).map(({ code, about }) => [code, about.topic ?? ''].join(' ').trim())).to.have.members(['step_diagnostic', 'topic_without_consumer x', 'topic_without_producer y']);
  });

  it('Steps in a circle without a way out, told once', () => {
    expect(found([step('a', ['x'], 'y'), step('b', ['y'], 'x')])).to.deep.equal(['enqueue_cycle a']);
    expect(found([step('a', ['a1'], 'a1')])).to.deep.equal(['enqueue_cycle a']);
    const text = (...steps: readonly StepRecord[]): string | undefined => flowFindings({ steps, diagnostics: [], activity: { items: [], spans: 0 }, queues: { items: [], gone: [], unrouted: [] }, servers: () => 1 })[0]?.message;
    expect(text(step('a', ['x'], 'y'), step('b', ['y'], 'x'))).to.equal('a, b enqueue to each other over the topics x, y, and to nothing else: one message may cause others for ever');
    expect(text(step('a', ['a1'], 'a1'))).to.equal('a consumes what it enqueues itself (the topic a1), and enqueues nothing else: one message may cause others for ever');
    expect(found([step('a', ['x'], 'y'), step('b', ['y', 'out'], 'x'), step('c', [], 'out')])).to.deep.equal([]);
  });

  it('no circle over what is only drawn, but for what was seen to happen', () => {
    const drawn = (id: string, config: Partial<StepRecord['config']>, topic?: string): StepRecord => ({ ...step(id, [], topic), config: { ...step(id, [], topic).config, ...config } });
    expect(found([drawn('a', { enqueues: ['x'], virtualSubscribes: ['x'] })])).to.deep.equal([]);
    expect(found([drawn('a', { virtualEnqueues: ['x'] }, 'x')])).to.deep.equal([]);
    expect(found([step('a', ['x'], 'x'), drawn('b', { virtualSubscribes: ['x'] })])).to.deep.equal(['enqueue_cycle a']);
    expect(found([drawn('a', { virtualEnqueues: ['x'] }, 'x')], [ran('a', 3, { x: 2 })])).to.deep.equal(['enqueue_cycle a']);
    // A trigger consumes, whatever is drawn beside it.
    expect(found([drawn('a', { enqueues: ['x'], virtualSubscribes: ['x'] }, 'x')])).to.deep.equal(['enqueue_cycle a']);
  });
});
