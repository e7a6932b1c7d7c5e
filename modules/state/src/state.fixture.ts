import type { OperationError, StateAdapter, StateEntry, StateWrite, StateWriteResult } from '@treadle/api';
import { fakeClock, type FakeClock } from '@treadle/testing';
import { StateService } from './state-service.js';

/** One entry in memory; remembers how it was asked. */
export class OneEntry implements Pick<StateAdapter, 'get' | 'write'> {
  entry: StateEntry | undefined;
  readonly writes: StateWrite[] = [];
  readonly decisions: ReturnType<StateWrite['next']>[] = [];
  failure: Error | undefined;

  async get(): Promise<StateEntry | undefined> {
    if (this.failure) throw this.failure;
    return this.entry;
  }

  async write(write: StateWrite): Promise<StateWriteResult> {
    this.writes.push(write);
    const before = this.entry;
    const decision = write.next(before);
    this.decisions.push(decision);
    if (decision.action === 'set') this.entry = { value: decision.value, revision: (before?.revision ?? 0) + 1 };
    if (decision.action === 'delete') this.entry = undefined;
    return { before, after: this.entry };
  }
}

export interface Fixture {
  readonly state: StateService;
  readonly adapter: OneEntry;
  readonly clock: FakeClock;
}

/** A service over one entry. */
export function serviceOver(value?: StateEntry['value']): Fixture {
  const adapter = new OneEntry();
  if (value !== undefined) adapter.entry = { value, revision: 1 };
  const clock = fakeClock();
  const state = new StateService(adapter as unknown as StateAdapter);
  state.open(clock);
  return { state, adapter, clock };
}

/** Code and text of a rejection. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(() => 'it was not refused', (error: OperationError) => `${error.code}: ${error.message}`);
}
