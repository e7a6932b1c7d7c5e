import type { StateDecision, StateWrite, StateWriteResult, StoreClock } from '@treadle/api';
import { entryOf, type Known, type Place } from './state-rows.js';

/** A write on its way. */
export interface Job {
  readonly write: StateWrite;
  readonly place: Place;
  /** The same for writes of one key. */
  readonly id: string;
}

/** What became of a write: its decision may throw, which is nobody else's matter. */
export type Outcome = { readonly result: StateWriteResult } | { readonly result?: undefined; readonly thrown: unknown };

/** A decision that writes something. */
export interface Planned {
  readonly job: Job;
  /** Undefined: the value goes. */
  readonly text: string | undefined;
  readonly decision: StateDecision;
  /** What it went by; undefined for a write that goes by nothing. */
  readonly from: Known | undefined;
}

/** What the write does to the key as it is; undefined when that is nothing, or when the decision throws. */
export function planOf(job: Job, from: Known | undefined, outcomes: Map<Job, Outcome>): Planned | undefined {
  try {
    const current = from && entryOf(from);
    const decision = from ? job.write.next(current) : job.write.always as StateDecision;
    if (decision.action === 'set') return { job, decision, from, text: decision.text ?? JSON.stringify(decision.value) };
    if (decision.action === 'delete' && (!from || from.text !== undefined)) return { job, decision, from, text: undefined };
    outcomes.set(job, { result: { before: current, after: current } });
  } catch (thrown) {
    outcomes.set(job, { thrown });
  }
  return undefined;
}

/** The arguments of `WRITE` for some rows. */
export function rowsOf(planned: readonly Planned[], time: StoreClock): readonly (string | number)[] {
  const last = new Map<string, number>();
  return planned.flatMap((plan, index) => {
    const { job: { id, place, write }, from, text = '', decision } = plan;
    const after = last.get(id) ?? 0;
    last.set(id, index + 1);
    const due = decision.action === 'set' && decision.expiresAt !== undefined ? time.toStore(decision.expiresAt) : '';
    const keeps = decision.action === 'set' && decision.keepExpiry === true;
    const change = write.origin === undefined ? 'c' : `o${write.origin}`;
    return [
      place.group, place.key, after, from ? from.revision : '', from && from.text !== undefined ? 1 : 0, text, due, keeps ? 1 : 0, write.recordChange ? change : 'n',
    ];
  });
}

/** The key as a plan leaves it, if it is carried out. */
export function afterOf({ text }: Planned, { text: before, revision }: Known): Known {
  return text === undefined && before === undefined ? { text, revision } : { text, revision: revision + 1 };
}
