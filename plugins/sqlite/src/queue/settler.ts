import { type DeliveryClaim, encodeKey, type Settlement } from '@treadle/api';
import type { Row } from '../store/store-area.js';
import type { HeldDelivery } from './held-delivery.js';
import type { Lane } from './lane.js';
import type { PreparedWrite } from '../store/prepared-write.js';
import type { Settled } from '../store/write-queue.js';
import type { QueueWork } from './queue-work.js';

/** A settlement whose claim holds. */
interface Accepted {
  readonly lane: Lane;
  readonly delivery: HeldDelivery;
  /** As it is carried out: what comes back to a retired subscription dies. */
  readonly settlement: Settlement;
}

/** Ends that are gathered; each counts for whoever asks for its claim from then on. */
export interface StagedEnds {
  add(settlement: Settlement): void;
  /** Undefined: there are none. */
  prepare(): PreparedWrite | undefined;
}

/** Ends claims. */
export class Settler {
  constructor(private readonly work: QueueWork) {}

  async settleMany(settlements: readonly Settlement[]): Promise<readonly boolean[]> {
    const accepted: Accepted[] = [];
    const answers = settlements.map((settlement) => this.accept(settlement, accepted));
    if (accepted.length === 0) return answers;
    const request = { operation: 'queue.settle', rows: rowsOf(accepted) };
    return new Promise((resolve, reject) => {
      this.work.store.write(request, (outcome) => {
        this.ended(accepted, outcome);
        if (outcome.ok) resolve(answers);
        else reject(outcome.error);
      });
    });
  }

  /** Ends of claims that hold, to be written with something else. */
  stage(): StagedEnds {
    const accepted: Accepted[] = [];
    return {
      add: (settlement) => void this.accept(settlement, accepted),
      prepare: () => (accepted.length === 0 ? undefined : {
        request: { operation: 'queue.settle', rows: rowsOf(accepted) }, settled: (outcome) => this.ended(accepted, outcome),
      }),
    };
  }

  private ended(accepted: readonly Accepted[], { ok }: Settled): void {
    if (ok) this.committed(accepted);
    else for (const { delivery } of accepted) delivery.settling = false;
  }

  private accept(settlement: Settlement, accepted: Accepted[]): boolean {
    const { claim } = settlement;
    const lane = this.work.lanes.get(claim);
    const delivery = lane?.claimed(claim);
    if (!lane || !delivery) return false;
    delivery.settling = true;
    accepted.push({ lane, delivery, settlement: lane.retired && settlement.action === 'return' ? this.retired(settlement) : settlement });
    return true;
  }

  private retired({ claim, progress }: { readonly claim: DeliveryClaim; readonly progress: HeldDelivery['progress'] }): Settlement {
    return { action: 'dead', claim, progress, reason: 'subscription_retired', at: this.work.now() };
  }

  private committed(accepted: readonly Accepted[]): void {
    const { touched } = this.work;
    for (const { lane, delivery, settlement } of accepted) {
      if (settlement.action === 'return') this.returned(lane, delivery, settlement);
      else {
        if (settlement.action === 'dead') lane.dead += 1;
        if (lane.gone(delivery)) touched.add(lane);
        if (lane.over) this.work.finished(lane);
      }
    }
    this.work.tell();
  }

  private returned(lane: Lane, delivery: HeldDelivery, { progress, dueAt = 0 }: Settlement & { readonly action: 'return' }): void {
    lane.returned({ ...delivery, epoch: '', settling: false, progress }, dueAt);
    if (dueAt > this.work.due.cursor) this.work.due.note(dueAt);
    else this.work.touched.add(lane);
  }
}

function rowsOf(accepted: readonly Accepted[]): readonly Row[] {
  const done = new Map<Lane, number[]>();
  const rows: Row[] = [];
  for (const { lane, delivery, settlement } of accepted) {
    if (settlement.action !== 'done') {
      rows.push(rowOf(lane, delivery, settlement));
      continue;
    }
    const numbers = done.get(lane);
    if (numbers) numbers.push(delivery.deliveryId);
    else done.set(lane, [delivery.deliveryId]);
  }
  for (const [{ number }, numbers] of done) addRuns(number, numbers, rows);
  return rows;
}

function rowOf({ number, stored }: Lane, { deliveryId }: HeldDelivery, settlement: Exclude<Settlement, { action: 'done' }>): Row {
  const { attempts, deaths, history } = settlement.progress;
  if (settlement.action === 'return') return [settlement.dueAt ?? null, attempts, deaths, history, number, deliveryId];
  const { reason, at } = settlement;
  return [encodeKey(stored.step), encodeKey(stored.topic), reason, at, attempts, deaths, history, number, deliveryId];
}

/** Neighbours go in one statement. */
function addRuns(lane: number, numbers: number[], rows: Row[]): void {
  numbers.sort((a, b) => a - b);
  let from = numbers[0] ?? 0;
  let to = from;
  for (let index = 1; index <= numbers.length; index += 1) {
    const next = numbers[index];
    if (next === to + 1) {
      to = next;
      continue;
    }
    rows.push([lane, from, lane, to]);
    from = to = next ?? 0;
  }
}
