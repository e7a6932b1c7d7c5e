import { type StoreTransfer, TRANSFER_ROWS, TreadleError } from '@treadle/api';
import { expect } from 'chai';
import { openForCopy } from '../adapter-harness.js';
import type { VariantTests } from './adapter-suite.js';
import type { AdapterUnderTest } from './adapter-under-test.js';

/** What a store holds when it is copied. */
export interface Copied<U> {
  /** Stores something of every kind that the adapter's operations can bring about. */
  readonly fill: (fresh: U) => Promise<unknown>;
  /** Fails when the copy answers differently from the store that `fill` has written to. */
  readonly check: (copy: U) => Promise<void>;
}

type TransferVariant<U> = VariantTests<U, { readonly durable: boolean }>;

const NO_MARK = { text: 'kit', complete: false };

/** That everything an adapter keeps reaches another store of the adapter, for one that has `openTransfer`. */
export function transferTests<U extends AdapterUnderTest<unknown, unknown>>(tests: TransferVariant<U>, { fill, check }: Copied<U>): void {
  const { suite, withFresh, declared, transfers } = tests;
  if (!transfers || !declared.durable) return;
  suite.test('gives all rows in small pages and takes them in another store, which then answers alike', () => withFresh((source) => withFresh(async (copy) => {
    await fill(source);
    await source.stop();
    await copy.stop();
    await openForCopy(source.options, (from) => openForCopy(copy.options, async (to) => {
      await copyAll(from, to, source.options.slot);
      for (const { name, uncounted } of to.kinds) if (!uncounted) expect(await to.count(name), name).to.equal(await from.count(name));
      await to.finish({ ...NO_MARK, complete: true });
    }));
    await copy.start();
    await check(copy);
  })));

  markTests(tests);
}

function markTests<U extends AdapterUnderTest<unknown, unknown>>({ suite, withFresh }: TransferVariant<U>): void {
  suite.test('keeps marks of a copy, and starts only on a whole one', () => withFresh(async (fresh) => {
    await fresh.stop();
    await openForCopy(fresh.options, async (store) => {
      expect(await store.mark('to')).to.equal(undefined);
      await store.importRows({ kind: store.kinds[0]?.name ?? '', rows: [], mark: NO_MARK });
      await store.setMark('from', { text: 'source', complete: false });
    });
    const error = await fresh.start().then(() => undefined, (reason: unknown) => reason);
    expect(error).to.be.instanceOf(TreadleError).with.property('code', 'COPY_UNFINISHED');
    await fresh.stop();
    await openForCopy(fresh.options, async (store) => {
      expect(await store.mark('to')).to.deep.equal(NO_MARK);
      expect(await store.mark('from')).to.deep.equal({ text: 'source', complete: false });
      await store.finish({ text: 'end', complete: true });
    });
    await fresh.restart();
    await fresh.stop();
    await openForCopy(fresh.options, async (store) => {
      expect(await store.mark('to')).to.deep.equal({ text: 'end', complete: true });
      expect(await store.mark('from'), 'an engine has used the source').to.equal(undefined);
    });
  }));

  suite.test('is not opened to be copied while an engine has it', () => withFresh(async ({ options }) => {
    const error = await openForCopy(options, () => Promise.resolve()).then(() => undefined, (reason: unknown) => reason);
    expect(error).to.be.instanceOf(TreadleError).with.property('code').that.is.oneOf(['STORE_LOCKED', 'STORE_IN_USE']);
  }));
}

async function copyAll(from: StoreTransfer, to: StoreTransfer, slot: string): Promise<void> {
  const known = TRANSFER_ROWS[slot] ?? {};
  expect(from.kinds.map(({ name }) => name), 'kinds of rows').to.have.members(Object.keys(known));
  for (const { name: kind } of from.kinds) {
    for (let after: string | undefined, more = true; more;) {
      const { rows, cursor } = await from.exportRows(kind, { limit: 3, after });
      expect(rows.length, 'rows of a page').to.be.at.most(3);
      for (const row of rows) expect(known[kind], `members of ${kind}`).to.include.members(Object.keys(row));
      await to.importRows({ kind, rows, mark: NO_MARK });
      after = cursor;
      more = cursor !== undefined;
    }
  }
}
