import type { StepRecord } from '@treadle/api';
import { expect } from 'chai';
import { graphOf } from './flow-graph.js';

const step = (id: string): StepRecord => ({ id, file: `steps/${id}.step.ts`, line: 3, language: 'typescript', configHash: id, config: { name: id, triggers: [{ type: 'queue', topic: 'x' }] } } as StepRecord);
const fault = (file: string, more: object = {}) => ({ severity: 'error', code: 'STEP_SYNTAX', message: 'Unexpected end of file', remedy: 'close it', file, ...more }) as const;
const nodes = (diagnostics: readonly ReturnType<typeof fault>[]) => graphOf({ steps: [step('a')], diagnostics, activity: { items: [], spans: 0 }, queues: { items: [], gone: [], unrouted: [] }, servers: () => 0 }).nodes;

describe('the graph of flows', () => {
  it('has a node for each file with errors of which no Step is loaded', () => {
    const broken = [fault('steps/orders/broken.step.ts', { line: 4 }), fault('steps/orders/broken.step.ts', { code: 'STEP_CONFIG' })];
    expect(nodes(broken).filter(({ kind }) => kind === 'file')).to.deep.equal([{ kind: 'file', id: 'file:steps/orders/broken.step.ts', title: 'broken.step.ts', file: 'steps/orders/broken.step.ts', diagnostics: broken }]);
    expect(nodes([]).map(({ id }) => id)).to.deep.equal(['step:a', 'topic:x']);
  });

  it('says at a Step what is wrong with its file, also where no Step is named', () => {
    const [node] = nodes([fault('steps/a.step.ts'), fault('steps/a.step.ts', { step: 'a', code: 'STEP_CONFIG' }), fault('steps/a.step.ts', { step: 'b', code: 'STEP_OTHER' })]);
    expect(node?.kind === 'step' && node.diagnostics.map(({ code }) => code)).to.deep.equal(['STEP_SYNTAX', 'STEP_CONFIG']);
  });
});
