import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { DriverName } from '../driver/driver.js';
import type { Reopened } from '../testing/reopen-child.fixture.js';
import { DRIVERS, errorOf, freshFolder, surroundings } from '../testing/store.fixture.js';
import { openStore } from './open-store.js';

const CHILD = new URL('../testing/kill-child.fixture.ts', import.meta.url);
const OPENER = new URL('../testing/reopen-child.fixture.ts', import.meta.url);
const KILLS = 3;
const MODES = [['full', 'thread'], ['full', 'loop'], ['relaxed', 'loop']] as const;

describe('a store whose engine is killed', function suite() {
  this.timeout(180_000);
  for (const driver of DRIVERS) {
    it(`keeps others away while it lives, and no longer (${driver.name})`, async () => {
      const folder = freshFolder();
      const file = join(folder, 'a.db');
      const open = async () => openStore({ file, durability: 'full', driver, ...surroundings() });
      const child = await writer([file, join(folder, 'acks'), driver.name, 'loop', 'full']);
      const error = await errorOf(open);
      expect(error).to.include({ code: 'STORE_LOCKED', message: `database "${file}" is in use by an engine with pid ${child.pid}` });
      await kill(child);
      await (await open()).close();
    });

    for (const [durability, commits] of MODES) {
      it(`has everything that it acknowledged (${driver.name}, ${durability}, commits on the ${commits})`, async () => {
        const folder = freshFolder();
        const [file, acks] = [join(folder, 'a.db'), join(folder, 'acks')];
        for (let round = 1; round <= KILLS; round += 1) {
          await writeAndKill([file, acks, driver.name, commits, durability], 60 * round);
          const found = await reopened([file, driver.name, commits, durability]);
          if ('error' in found) throw new Error(found.error);
          expect(found.messages).to.include('store was not closed; the check found no fault');
          const stored = new Map(found.entries.map((row) => [String(row['key']), { value: Number(row['value']), revision: Number(row['revision']) }]));
          const acknowledged = acknowledgedIn(acks);
          expect(acknowledged.size).to.be.greaterThan(0);
          for (const [key, value] of acknowledged) expect(stored.get(key)?.value, key).to.be.at.least(value);
          // The recorded changes are in the same commit as the values: one for each write, none more or less.
          for (const row of found.changes) {
            expect({ value: row['last'], revision: row['n'] }, String(row['key'])).to.deep.equal(stored.get(String(row['key'])));
          }
          expect(found.integrity).to.equal('ok');
        }
      });
    }
  }
});

type ChildArguments = readonly [file: string, acks: string, driver: DriverName, commits: string, durability: string];

async function writer(options: ChildArguments): Promise<ChildProcess> {
  const child = fork(CHILD, options, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(child, 'message');
  return child;
}

async function reopened(options: readonly string[]): Promise<Reopened> {
  const child = fork(OPENER, options, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  const [found] = await once(child, 'message') as [Reopened];
  await ended;
  return found;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  expect((await ended)[1]).to.equal('SIGKILL');
}

async function writeAndKill(options: ChildArguments, afterMs: number): Promise<void> {
  const child = await writer(options);
  await new Promise((resolve) => void setTimeout(resolve, afterMs));
  await kill(child);
}

/** The highest value per key; the last line may be cut off. */
function acknowledgedIn(file: string): ReadonlyMap<string, number> {
  const highest = new Map<string, number>();
  for (const line of readFileSync(file, 'utf8').split('\n').slice(0, -1)) {
    const [writer, value] = line.split(' ');
    highest.set(`k${writer}`, Math.max(highest.get(`k${writer}`) ?? 0, Number(value)));
  }
  return highest;
}
