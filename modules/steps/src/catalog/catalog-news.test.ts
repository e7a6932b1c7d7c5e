import type { DeclaredTriggerKind, LogFields, Logger, StepFileReport, StepRecord } from '@treadle/api';
import { expect } from 'chai';
import { CatalogNews } from './catalog-news.js';

const HTTP = { type: 'http', label: ({ path }: { path?: unknown }) => `GET ${String(path)}` } as unknown as DeclaredTriggerKind;
const step = (id: string, triggers: readonly object[] = [{ type: 'http', path: '/a' }, { type: 'else' }]): StepRecord =>
  ({ id, file: `steps/${id}.step.ts`, config: { name: id, triggers } }) as unknown as StepRecord;
const report = (id: string, version: string, problem?: object): StepFileReport =>
  ({ file: `steps/${id}.step.ts`, version, steps: [], ...(problem && { problem }) }) as unknown as StepFileReport;

describe('news of the catalog', () => {
  let told: LogFields[];
  const news = (named: boolean): CatalogNews => {
    told = [];
    return new CatalogNews({ log: { info: (_message: string, fields: LogFields) => told.push(fields) } as unknown as Logger, kinds: () => [HTTP], named });
  };
  const NOTHING = { added: [], changed: [], removed: [] };

  it('names each Step with what starts it in development', () => {
    news(true).tell({ ...NOTHING, added: [step('a')] }, [step('a')], [report('a', '1')]);
    expect(told).to.deep.equal([{
      steps: 1, added: 1, changed: 0, removed: 0, swapped: 0, named: [{ change: 'added', step: 'a', file: 'steps/a.step.ts', triggers: ['GET /a', 'else'] }],
    }]);
  });

  it('gives counts elsewhere', () => {
    news(false).tell({ ...NOTHING, added: [step('a')] }, [step('a')], [report('a', '1')]);
    expect(told).to.deep.equal([{ steps: 1, added: 1, changed: 0, removed: 0 }]);
  });

  it('tells of a handler that was swapped once, and of none while the file is broken', () => {
    const one = news(true);
    const steps = [step('a'), step('b')];
    one.tell({ ...NOTHING, added: steps }, steps, [report('a', '1'), report('b', '1')]);
    one.tell(NOTHING, steps, [report('a', '2'), report('b', '1')]);
    one.tell(NOTHING, steps, [report('a', '2'), report('b', '1')]);
    one.tell(NOTHING, steps, [report('a', '3', { message: 'x' }), report('b', '1')]);
    one.tell(NOTHING, steps, [report('a', '4'), report('b', '1')]);
    expect(told.slice(1).map(({ swapped, named }) => [swapped, (named as { step: string }[])[0]?.step])).to.deep.equal([[1, 'a'], [1, 'a']]);
  });
});
