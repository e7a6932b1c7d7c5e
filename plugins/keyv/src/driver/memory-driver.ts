import { Keyv } from 'keyv';
import type { KvDriver, Row, RowRange } from './kv-driver.js';
import { KEYV_OPTIONS } from './keyv-options.js';
import { SortedKeys } from './sorted-keys.js';

/** keyv over a Map, with an index that knows the order of the keys. */
export class MemoryDriver implements KvDriver {
  private readonly keyv = new Keyv({ ...KEYV_OPTIONS, store: new Map() });
  private readonly keys = new SortedKeys();

  join(): () => void {
    return () => undefined;
  }

  get(key: string): Promise<unknown> {
    return this.keyv.get(key);
  }

  async put(rows: readonly Row[]): Promise<void> {
    for (const [key, value] of rows) {
      await this.keyv.set(key, value);
      this.keys.add(key);
    }
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.keys.delete(key);
    await this.keyv.deleteMany([...keys]);
  }

  async range({ from, to, limit }: RowRange): Promise<readonly Row[]> {
    const keys = this.keys.slice(from, to, limit);
    const values = await Promise.all(keys.map((key) => this.keyv.get<unknown>(key)));
    return keys.map((key, index) => [key, values[index]] as const).filter(([, value]) => value !== undefined);
  }

  async close(): Promise<void> {
    // Memory needs no closing; what is left goes with the driver.
  }
}
