/** Writes to a store until it is killed; what was acknowledged goes, synced, to a file of its own. */
import { fdatasyncSync, openSync, writeSync } from 'node:fs';
import type { Logger } from '@treadle/api';
import { EngineTurn, systemClock } from '@treadle/kernel';
import { driverNamed } from '../driver/choose-driver.js';
import type { DriverName } from '../driver/driver.js';
import { openStore } from '../store/open-store.js';
import type { Durability } from '../store/open-connection.js';
import { StateEntries } from '../state/state-entries.js';
import { StateReader } from '../state/state-reader.js';

const [file = '', acks = '', driverName, commits, durability] = process.argv.slice(2);
const silent: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => silent };

const driver = driverNamed(driverName as DriverName);
if (!driver) throw new Error(`no driver ${driverName}`);
const store = await openStore({
  file, clock: systemClock, turn: new EngineTurn(systemClock), log: silent, driver, durability: durability as Durability, commits: commits as 'thread' | 'loop',
});
const entries = new StateEntries(store, new StateReader(store.reads), systemClock, 1_000_000);
const journal = openSync(acks, 'a');

/** One counter per writer; each acknowledged value is journaled before the next is written. */
async function count(writer: number): Promise<never> {
  for (let first = true; ; first = false) {
    const { after } = await entries.write({
      group: 'g', key: `k${writer}`, recordChange: true,
      next: (current) => ({ action: 'set', value: Number(current?.value ?? 0) + 1 }),
    });
    writeSync(journal, `${writer} ${String(after?.value)}\n`);
    if (writer === 0) fdatasyncSync(journal);
    if (writer === 0 && first) process.send?.('writing');
  }
}

await Promise.all(Array.from({ length: 32 }, (_, writer) => count(writer)));
