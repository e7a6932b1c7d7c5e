import { randomUUID } from 'node:crypto';
import { type TransferKind, type TransferMark, treadleError } from '@treadle/api';
import type { SlotEnds } from './copy-ends.js';
import type { CopiedKind, CopiedSlot, CopyProgress } from './copy-report.js';

/** Rows of one commit. */
const PORTION = 500;

/** What the target's mark says. */
interface Place {
  /** Of the copies of the source until an engine uses it; until then the source's mark has it too. */
  readonly id: string;
  readonly from: string;
  /** What comes next; absent at the end. */
  readonly kind?: string | undefined;
  readonly after?: string | undefined;
}

/** The copy of one slot: first looked at, then carried out, then counted. */
export class SlotCopy {
  private place: Place | undefined;
  private outcome: CopiedSlot['outcome'] = 'planned';

  constructor(private readonly ends: SlotEnds) {}

  /**
   * Looks what there is to do; changes nothing.
   * @throws {COPY_TARGET_NOT_EMPTY} {COPY_OUTDATED} {COPY_NOT_POSSIBLE}
   */
  async prepare(): Promise<void> {
    const { from, to } = this.ends;
    await this.refuseUnknownKinds();
    if (from.store === to.store) {
      this.outcome = 'same_store';
      return;
    }
    const mark = await to.mark('to');
    if (!mark) return this.refuseRows();
    const place = JSON.parse(mark.text) as Place;
    if (place.from !== from.store) throw treadleError('COPY_TARGET_NOT_EMPTY', { store: to.store, what: `a copy of ${place.from}` });
    if ((await from.mark('from'))?.text !== place.id) throw treadleError('COPY_OUTDATED', { from: from.store, to: to.store });
    if (mark.complete) this.outcome = 'complete';
    this.place = place;
  }

  /** Marks both ends, the source first: a target that is begun has a source that says so. */
  async begin(): Promise<void> {
    if (this.outcome !== 'planned' || this.place) return;
    const { from, to } = this.ends;
    // One that is there stays: copies of the same to other stores are told by it.
    const former = await from.mark('from');
    this.place = { id: former?.text ?? randomUUID(), from: from.store, kind: from.kinds[0]?.name };
    if (!former) await from.setMark('from', { text: this.place.id, complete: false });
    await to.setMark('to', this.markAt(this.place, false));
  }

  /** Copies what is not there yet. */
  async carryOut(tell: (progress: CopyProgress) => void): Promise<void> {
    if (this.outcome !== 'planned' || !this.place) return;
    for (let { kind } = this.place; kind !== undefined; kind = this.place.kind) {
      await this.copyKind(kind, tell);
      this.place = { ...this.place, kind: this.kindAfter(kind), after: undefined };
    }
    await this.ends.to.finish(this.markAt(this.place, true));
    this.outcome = 'copied';
  }

  /** Counts both ends. */
  async report(): Promise<CopiedSlot> {
    const { slot, from, to } = this.ends;
    const kinds: CopiedKind[] = [];
    const notes = new Set<string>();
    for (const { name } of this.outcome === 'same_store' ? [] : from.kinds) {
      const [source, target] = [this.kindOf(from.kinds, name), this.kindOf(to.kinds, name)];
      const count = { kind: name, from: await from.count(name), to: target ? await to.count(name) : 0 };
      const uncounted = (source?.uncounted ?? false) || (target?.uncounted ?? false);
      kinds.push({ ...count, agrees: uncounted || count.from === count.to });
      for (const note of [source?.note, target?.note]) if (note !== undefined && count.from > 0) notes.add(note);
    }
    return { slot, from: from.store, to: to.store, outcome: this.outcome, kinds, notes: [...notes] };
  }

  private async copyKind(kind: string, tell: (progress: CopyProgress) => void): Promise<void> {
    const { slot, from, to } = this.ends;
    let count = 0;
    for (let after = this.place?.after, more = true; more;) {
      const { rows, cursor } = await from.exportRows(kind, { limit: PORTION, after });
      const next: Place = { ...this.place as Place, kind: cursor === undefined ? this.kindAfter(kind) : kind, after: cursor };
      if (rows.length > 0) await to.importRows({ kind, rows, mark: this.markAt(next, false) });
      count += rows.length;
      tell({ slot, kind, rows: count });
      after = cursor;
      more = cursor !== undefined;
    }
  }

  private kindAfter(kind: string): string | undefined {
    const { kinds } = this.ends.from;
    return kinds[kinds.findIndex(({ name }) => name === kind) + 1]?.name;
  }

  private markAt(place: Place, complete: boolean): TransferMark {
    return { text: JSON.stringify(place), complete };
  }

  private async refuseRows(): Promise<void> {
    const { to } = this.ends;
    for (const { name } of to.kinds) {
      const count = await to.count(name);
      if (count > 0) throw treadleError('COPY_TARGET_NOT_EMPTY', { store: to.store, what: `${count} rows of the kind ${this.ends.slot}.${name}` });
    }
  }

  private async refuseUnknownKinds(): Promise<void> {
    const { slot, from, to } = this.ends;
    for (const { name } of from.kinds) {
      const count = this.kindOf(to.kinds, name) ? 0 : await from.count(name);
      if (count === 0) continue;
      throw treadleError('COPY_NOT_POSSIBLE', {
        what: `${count} rows of the kind ${slot}.${name}`, reason: `${to.store} does not keep such rows`, hint: 'remove them from the source, or take another adapter',
      });
    }
  }

  private kindOf(kinds: readonly TransferKind[], kind: string): TransferKind | undefined {
    return kinds.find(({ name }) => name === kind);
  }
}
