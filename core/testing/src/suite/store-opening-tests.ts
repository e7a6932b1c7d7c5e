import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TreadleError } from '@treadle/api';
import { expect } from 'chai';
import { type HarnessOptions, startAdapter } from '../adapter-harness.js';
import type { VariantTests } from './adapter-suite.js';
import type { AdapterUnderTest } from './adapter-under-test.js';

/** Something that a store holds. */
interface Mark<U> {
  readonly write: (fresh: U) => Promise<unknown>;
  /** Fails when it is not there. */
  readonly check: (fresh: U) => Promise<void>;
  /** The same from another engine. Default: `check`. */
  readonly checkOther?: (other: U) => Promise<void>;
}

/** Who may open a durable store, and what cannot be opened. */
export function storeOpeningTests<U extends AdapterUnderTest<unknown, unknown>>(
  { suite, withFresh, declared }: VariantTests<U, { readonly durable: boolean; readonly multiEngine: boolean }>,
  Create: new (options: HarnessOptions) => U, { write, check, checkOther = check }: Mark<U>,
): void {
  if (!declared.durable) return;
  suite.test(`${declared.multiEngine ? 'lets' : 'does not let'} a second engine open the same store`, () => withFresh(async (first) => {
    await write(first);
    const second = new Create(first.options);
    const error = await second.start().then(() => undefined, (reason: unknown) => reason);
    if (declared.multiEngine) await checkOther(second);
    else expect(error).to.be.instanceOf(TreadleError);
    await second.stop();
    await check(first);
  }));

  suite.test('fails to start on a file that cannot be opened', () => withFresh(async ({ options }) => {
    const { config, root } = options;
    if (!hasFile(config)) return;
    mkdirSync(join(root, 'data'), { recursive: true });
    writeFileSync(join(root, 'data', 'blocked'), 'a file, not a folder');
    for (const file_path of ['blocked/store.db', '.']) {
      const broken = startAdapter({ ...options, config: { ...config, file_path } });
      const error = await broken.then(() => undefined, (reason: unknown) => reason);
      expect(error, file_path).to.be.instanceOf(TreadleError);
    }
  }));
}

function hasFile(config: unknown): config is { readonly file_path: string } {
  return typeof config === 'object' && config !== null && 'file_path' in config;
}
