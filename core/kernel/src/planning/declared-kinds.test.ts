import { slot, type TriggerIssue, type TriggerKindSpec, type TriggerRecord } from '@treadle/api';
import { expect } from 'chai';
import { Engine } from '../engine.js';
import { adapterClass, builtin, ENGINE_VERSION, goodPlan, moduleClass } from '../kernel.fixture.js';
import { declaredKinds } from './declared-kinds.js';

const KIND: TriggerKindSpec = {
  type: 'post', summary: 'Starts a handler', schema: { type: 'object' },
  validate: ({ to }) => (to === undefined ? [{ key: 'to', code: 'STEP_BAD_VALUE', message: 'nobody', remedy: 'name somebody' }] : []),
  needs: ({ fast, kept }) => [
    ...fast === true ? [{ slot: 'adapter', capability: 'speed', key: 'fast', what: 'speed', instead: 'remove fast' }] : [],
    ...typeof kept === 'number' ? [{ slot: 'adapter', capability: 'days', accepts: (days: unknown) => Number(days) >= kept, key: 'kept', what: `room for ${kept} days`, instead: 'write less' }] : [],
  ],
};
const post = moduleClass('acme::post::PostModule', { slots: { adapter: { slot: slot('post') } }, triggerKinds: [KIND, { type: 'plain', summary: 'Needs nothing', schema: { type: 'object' } }] });
const box = adapterClass('acme::post::adapters::Box', {
  config: { type: 'object', additionalProperties: false, properties: { days: { type: 'integer', default: 3 } } },
  capabilities: (config: unknown) => ({ speed: 'none', days: (config as { days: number }).days }),
});
const YAML = 'engine: { implicit_modules: false }\nmodules:\n  - class: acme::post::PostModule\n    config:\n      adapter: { class: acme::post::adapters::Box, config: { days: 5 } }\n';

describe('what a trigger asks of the adapter of its module', () => {
  const plan = () => goodPlan(YAML, [builtin([post], [box])]);
  const asked = async (trigger: object): Promise<readonly TriggerIssue[]> =>
    declaredKinds(await plan()).find(({ type }) => type === 'post')?.validate?.({ type: 'post', ...trigger } as TriggerRecord) ?? [];

  it('is told where the adapter, as it is configured, lacks it, with the place of the adapter', async () => {
    expect(await asked({ to: 'x', fast: true, kept: 7 })).to.deep.equal([
      {
        key: 'fast', code: 'STEP_ADAPTER_LACKS',
        message: 'acme::post::adapters::Box (config.yaml:5:16) has no speed, as it is configured (speed: "none")', remedy: 'remove fast, or configure an adapter that has it',
      },
      {
        key: 'kept', code: 'STEP_ADAPTER_LACKS',
        message: 'acme::post::adapters::Box (config.yaml:5:16) has no room for 7 days, as it is configured (days: 5)', remedy: 'write less, or configure an adapter that has it',
      },
    ]);
  });

  it('is nothing where the adapter has it, or nothing is asked', async () => {
    expect([await asked({ to: 'x', kept: 5 }), await asked({ to: 'x' })]).to.deep.equal([[], []]);
  });

  it('comes behind what the kind itself finds', async () => {
    expect((await asked({ fast: true })).map(({ code }) => code)).to.deep.equal(['STEP_BAD_VALUE', 'STEP_ADAPTER_LACKS']);
  });

  it('is what a running engine checks its Steps by', async () => {
    const engine = new Engine({ plan: await plan(), log: { write: () => undefined }, engineVersion: ENGINE_VERSION });
    const kinds = engine.dispatch.triggers.kinds();
    expect(kinds.find(({ type }) => type === 'post')?.validate?.({ type: 'post', to: 'x', fast: true } as TriggerRecord)).to.have.length(1);
    expect(kinds.find(({ type }) => type === 'plain')?.owner).to.equal('acme::post::PostModule');
  });
});
