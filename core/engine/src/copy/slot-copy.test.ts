import type { StoreTransfer, TransferImport, TransferMark, TransferPage, TransferRow, TransferSide } from '@treadle/api';
import { expect } from 'chai';
import type { CopiedSlot } from './copy-report.js';
import { SlotCopy } from './slot-copy.js';

/** A store in memory with one kind of rows. */
class Store implements StoreTransfer {
  readonly kinds = [{ name: 'entry' }];
  readonly marks = new Map<TransferSide, TransferMark>();
  rows: TransferRow[] = [];

  constructor(readonly store: string, ...values: readonly number[]) {
    this.rows = values.map((value) => ({ value }));
  }

  /** An engine had the store, and left it with other values under as many keys. */
  useByEngine(): void {
    this.marks.delete('from');
    this.rows = this.rows.map(({ value }) => ({ value: Number(value) + 1 }));
  }

  count(): Promise<number> {
    return Promise.resolve(this.rows.length);
  }

  exportRows(): Promise<TransferPage> {
    return Promise.resolve({ rows: this.rows });
  }

  async importRows({ rows, mark }: TransferImport): Promise<void> {
    this.rows.push(...rows);
    await this.setMark('to', mark);
  }

  finish(mark: TransferMark): Promise<void> {
    return this.setMark('to', mark);
  }

  mark(side: TransferSide): Promise<TransferMark | undefined> {
    return Promise.resolve(this.marks.get(side));
  }

  setMark(side: TransferSide, mark: TransferMark): Promise<void> {
    this.marks.set(side, mark);
    return Promise.resolve();
  }
}

async function copy(from: StoreTransfer, to: StoreTransfer): Promise<CopiedSlot> {
  const slot = new SlotCopy({ slot: 'state', from, to });
  await slot.prepare();
  await slot.begin();
  await slot.carryOut(() => undefined);
  return slot.report();
}

describe('SlotCopy', () => {
  it('only counts a complete copy whose source nobody has used since', async () => {
    const [from, to] = [new Store('A', 1, 2), new Store('B')];
    expect(await copy(from, to)).to.have.property('outcome', 'copied');
    expect(await copy(from, to)).to.have.property('outcome', 'complete');
  });

  it('takes no complete copy for one of a source that an engine has used since, even where the counts agree', async () => {
    const [from, to] = [new Store('A', 1, 2), new Store('B')];
    await copy(from, to);
    from.useByEngine();
    const error = await copy(from, to).then(({ outcome }) => new Error(`it was ${outcome}`), (fault: unknown) => fault as Error);
    expect(error).to.have.property('code', 'COPY_OUTDATED');
    expect(error.message).to.contain('the copy from A to B is outdated: an engine has used the source since it began');
  });

  it('knows each copy of a source that nobody has used in between', async () => {
    const [from, one, other] = [new Store('A', 1, 2), new Store('B'), new Store('C')];
    await copy(from, one);
    await copy(from, other);
    expect([await copy(from, one), await copy(from, other)].map(({ outcome }) => outcome)).to.deep.equal(['complete', 'complete']);
  });
});
