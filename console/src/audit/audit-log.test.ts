import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@treadle/api';
import { expect } from 'chai';
import type { AuditEntry } from '../contract/index.js';
import { AuditLog, type AuditNote } from './audit-log.js';

const NOTE: AuditNote = { time: '2026-01-01T00:00:00.000Z', who: 'me', role: 'admin', remote: '127.0.0.1', method: 'POST', path: '/a', status: 204, requestId: 'r' };

describe('the file of the audit', () => {
  let folder: string;
  let file: string;
  let warned: string[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'treadle-audit-'));
    [file, warned] = [join(folder, 'audit.jsonl'), []];
  });
  afterEach(() => rm(folder, { recursive: true }));

  const opened = async (): Promise<AuditLog> => {
    const audit = new AuditLog(folder, { warn: (message: string) => void warned.push(message) } as unknown as Logger);
    await audit.open();
    return audit;
  };
  const added = async (audit: AuditLog, count: number): Promise<void> => {
    for (let left = count; left > 0; left -= 1) audit.add(NOTE);
    await audit.close();
  };
  const ids = (): readonly number[] => readFileSync(file, 'utf8').split('\n').slice(0, -1).map((line) => (JSON.parse(line) as AuditEntry).id);

  it('gets every entry, also after one that was cut by a kill', async () => {
    for (const cut of ['{"id":', JSON.stringify({ id: 3, ...NOTE })]) {
      rmSync(file, { force: true });
      await added(await opened(), 2);
      appendFileSync(file, cut);
      await added(await opened(), 1);
      await added(await opened(), 1);
      expect(ids(), cut).to.deep.equal(cut.endsWith('}') ? [1, 2, 3, 4, 5] : [1, 2, 3, 4]);
    }
  });

  it('gets with the next one what could not be written', async () => {
    const audit = await opened();
    mkdirSync(file);
    await added(audit, 1);
    rmSync(file, { recursive: true });
    await added(audit, 2);
    expect([ids(), warned]).to.deep.equal([[1, 2, 3], ['the audit log could not be written']]);
  });
});
