import { randomUUID } from 'node:crypto';
import { type AdminCatalog, type Clock, wallTime } from '@treadle/api';
import type { Selection } from '../contract/index.js';
import { Refusal } from '../server/refusal.js';
import { ACTIONS } from './actions.js';
import { freeze, type FrozenIds, hashOf } from './frozen-selection.js';

const KEPT_MS = 10 * 60_000;
const MOST = 100;
/** In all selections together. */
const MOST_IDS_IN_ALL = 500_000;
const SAMPLES = 5;

/** A selection with what it stands for. */
export interface KeptSelection {
  readonly shown: Selection;
  readonly frozen: FrozenIds;
  /** Of the monotonic clock. */
  readonly until: number;
}

/** Selections that wait for their job. */
export class Selections {
  private readonly kept = new Map<string, KeptSelection>();

  constructor(private readonly catalog: AdminCatalog, private readonly clock: Clock) {}

  /** @throws as `freeze` */
  async add(body: unknown): Promise<Selection> {
    const frozen = await freeze(this.catalog, body);
    const { kind, ids, truncated } = frozen;
    const actions = Object.entries(ACTIONS).filter(([, { of }]) => of === kind).map(([action, { role }]) => ({ action: action as keyof typeof ACTIONS, role }));
    const expiresAt = new Date(wallTime(this.clock) + KEPT_MS).toISOString();
    const shown = { id: randomUUID(), kind, count: ids.length, hash: hashOf(ids), expiresAt, samples: ids.slice(0, SAMPLES), truncated, actions };
    this.kept.set(shown.id, { shown, frozen, until: this.clock.monotonic() + KEPT_MS });
    this.makeRoom();
    return shown;
  }

  /** @throws {Refusal} 404 */
  get(id: string): KeptSelection {
    this.makeRoom();
    const found = this.kept.get(id);
    if (found) return found;
    throw new Refusal(404, 'not_found', `there is no selection "${id.slice(0, 100)}": it is older than 10 minutes, gave way to others, or has its job. POST /selections freezes another one`);
  }

  /** Its job has it now. */
  remove(id: string): void {
    this.kept.delete(id);
  }

  private makeRoom(): void {
    const now = this.clock.monotonic();
    let ids = [...this.kept.values()].reduce((sum, { frozen }) => sum + frozen.ids.length, 0);
    for (const [id, { until, frozen }] of this.kept) {
      if (until >= now && this.kept.size <= MOST && ids <= MOST_IDS_IN_ALL) return;
      this.kept.delete(id);
      ids -= frozen.ids.length;
    }
  }
}
