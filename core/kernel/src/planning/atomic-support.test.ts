import type { TriggerKindSpec } from '@treadle/api';
import { expect } from 'chai';
import { notAtomicOf, type PlannedParts } from './atomic-support.js';

const kind = (more: Partial<TriggerKindSpec>): TriggerKindSpec => ({ type: 'x', summary: '', schema: {}, ...more });
const QUEUED = kind({ type: 'queue', queued: true });

interface Adapter { readonly slot: string; readonly id: string; readonly store?: string; readonly commit?: readonly string[] }

/** A plan of one module for each adapter, as far as it is looked at. */
const planOf = (...adapters: readonly Adapter[]): PlannedParts => ({
  dataDir: '/data',
  entries: adapters.map(({ slot, id, store, commit }, index) => ({
    adapters: [{
      instance: { path: `modules[${index}].config.adapter`, at: { file: 'config.yaml', line: index + 3, column: 5 } }, config: {}, capabilities: commit && { commit },
      spec: { id, slot: { id: slot }, ...store !== undefined && { store: (_config: unknown, dataDir: string) => `${store} ${dataDir}` } },
    }],
  })),
}) as unknown as PlannedParts;

const ALL = ['settle', 'enqueue', 'state', 'stream'];
const queue = { slot: 'queue', id: 'acme::queue::adapters::A', store: 'a', commit: ALL };
const state = { slot: 'state', id: 'acme::state::adapters::A', store: 'a' };
const stream = { slot: 'stream', id: 'acme::stream::adapters::A', store: 'a' };
const refusal = (...adapters: readonly Adapter[]): string | undefined => notAtomicOf(planOf(...adapters))(QUEUED)?.problem;

describe('notAtomicOf', () => {
  it('lets kinds be that the queue delivers, where all is kept in one store', () => {
    const notAtomic = notAtomicOf(planOf(queue, state, stream));
    expect(notAtomic(QUEUED)).to.equal(undefined);
    expect(notAtomic(kind({ type: 'acme.mqtt', deliveryKey: () => 'k' }))).to.equal(undefined);
    expect(refusal(queue), 'nothing else is loaded').to.equal(undefined);
  });

  it('refuses kinds that the queue does not deliver', () => {
    const notAtomic = notAtomicOf(planOf(queue, state, stream));
    expect(notAtomic(kind({ type: 'http' }))?.problem).to.include('a request has no acknowledgement');
    expect(notAtomic(kind({ type: 'cron' }))?.remedy).to.include('with the time of the tick as its dedupeKey');
    expect(notAtomic(kind({ type: 'acme.mqtt' }))?.problem).to.equal('it is not delivered by the queue');
  });

  it('names the adapters that do not share a store, and where they are written', () => {
    const shared = ', which does not share a store with acme::queue::adapters::A (config.yaml:3:5)';
    expect(refusal(queue, { ...state, store: 'b' }, stream)).to.equal(`state is kept by acme::state::adapters::A (config.yaml:4:5)${shared}`);
    expect(refusal(queue, state, { slot: 'stream', id: 'acme::stream::adapters::Own' })).to.equal(`streams are kept by acme::stream::adapters::Own (config.yaml:5:5)${shared}`);
  });

  it('refuses a queue that cannot commit, or not with what the others keep', () => {
    expect(refusal({ ...queue, commit: [] }, state)).to.equal('acme::queue::adapters::A (config.yaml:3:5) cannot commit what a handler writes together with the acknowledgement');
    expect(refusal({ slot: 'queue', id: 'acme::queue::adapters::Old' })).to.include('acme::queue::adapters::Old (config.yaml:3:5) cannot commit');
    expect(refusal({ ...queue, commit: ['settle', 'enqueue', 'state'] }, state, stream)).to.include('streams are kept by');
  });
});
