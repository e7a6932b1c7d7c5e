import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { acquireEngineLock } from './engine-lock.js';
import { openLockSocket } from './lock-socket.js';

const FACTS = { pid: process.pid, startedAt: '2026-01-01T00:00:00.000Z', version: '1.0.0', application: 'shop', addresses: {} };
const LONG_AGO = new Date(Date.now() - 3_600_000);

describe('what killed engines left in the data directory', () => {
  let folder = '';
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'treadle-left-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const leave = (name: string, at = LONG_AGO): void => {
    writeFileSync(join(folder, name), 'x');
    utimesSync(join(folder, name), at, at);
  };
  const takeAndLook = async (): Promise<readonly string[]> => {
    const lock = await acquireEngineLock(folder, FACTS);
    lock.release();
    return readdirSync(folder).sort();
  };

  it('is gone after the next start: drafts of tokens and records, sockets', async () => {
    for (const name of ['admin.token.4711', 'worker.token.4712', '.engine.json.00112233aabbccdd', 'engine-00112233aabbccdd.sock']) leave(name);
    expect(await takeAndLook()).to.deep.equal([]);
  });

  it('does not include what belongs to others or may still come alive', async () => {
    const others = ['admin.token', 'data.db', 'notes.token.txt', 'engine.sock'];
    for (const name of others) leave(name);
    leave('engine-ffffffffffffffff.sock', new Date());
    const held = await openLockSocket(folder, '0123456789abcdef');
    utimesSync(join(folder, held.lock), LONG_AGO, LONG_AGO);
    const expected = [...others, 'engine-0123456789abcdef.sock', 'engine-ffffffffffffffff.sock'].sort();
    expect(await takeAndLook()).to.deep.equal(expected);
    held.close();
  });
});
