import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADMIN_TOKEN_FILE, SecretToken } from '@treadle/api';
import { WORKER_TOKEN_FILE } from '@treadle/protocol/engine-record';
import { expect } from 'chai';
import { findAdmin } from '../../cli/dist/admin/find-admin.js';
import { engineState } from '../../cli/dist/doctor/engine-state.js';
import { acquireEngineLock, type EngineLock } from '../../core/engine/dist/lock/engine-lock.js';
import { findEngine } from '../../core/worker/dist/engine-address.js';
import { ROOT } from '../architecture/workspace.js';
import { tempFolder } from '../support/temp-folder.js';

const ADDRESSES = { 'http': 'http://127.0.0.1:3111', 'console': 'http://127.0.0.1:3113', 'worker-tcp': 'ws://127.0.0.1:4000/' };
const PYTHON = 'import json, sys; from treadle.worker.engine_address import find_engine; e = find_engine({"TREADLE_DATA_DIR": sys.argv[1]}, "."); print(json.dumps([e.url, e.token]))';
const DEFAULT = 'ws://127.0.0.1:3110';

interface Readers { readonly admin: string; readonly doctor: string; readonly node: string; readonly python: string }

describe('what an engine writes into its data directory', () => {
  let root: string;
  let data: string;
  let lock: EngineLock;
  beforeEach(async () => {
    root = tempFolder();
    data = join(root, 'data');
    lock = await acquireEngineLock(data, { pid: process.pid, startedAt: '2026-01-01T00:00:00.000Z', version: '0.1.0', application: 'test', addresses: {} });
    for (const [name, value] of [[ADMIN_TOKEN_FILE, 'of-admins'], [WORKER_TOKEN_FILE, 'of-workers']] as const) await new SecretToken(name, value).publish(data);
  });
  afterEach(() => lock.release());

  async function read(): Promise<Readers> {
    const [url, token] = JSON.parse(execFileSync('python3', ['-c', PYTHON, data], { cwd: join(ROOT, 'plugins/runtime-python/python'), encoding: 'utf8' })) as string[];
    const worker = await findEngine({ cwd: root });
    const { finding, pid } = await engineState(data);
    return { admin: await inRoot(), doctor: `${finding.status} ${pid ?? 0}`, node: `${worker.url} ${worker.token}`, python: `${url ?? ''} ${token ?? ''}` };
  }

  /** As a command finds it that is called there. */
  async function inRoot(): Promise<string> {
    const before = process.cwd();
    try {
      process.chdir(root);
      return await findAdmin({}).then(({ url, token }) => `${url} ${token ?? ''}`, ({ code }: { code: string }) => code);
    } finally {
      process.chdir(before);
    }
  }

  it('is understood alike by commands and by Step processes of both languages', async () => {
    expect(await read()).to.deep.equal({ admin: 'ADMIN_UNREACHABLE', doctor: `ok ${process.pid}`, node: `${DEFAULT} of-workers`, python: `${DEFAULT} of-workers` });
    lock.publish(new Map(Object.entries(ADDRESSES)));
    const workers = 'ws://127.0.0.1:4000/ of-workers';
    expect(await read()).to.deep.equal({ admin: `${ADDRESSES.console} of-admins`, doctor: `ok ${process.pid}`, node: workers, python: workers });
    lock.release();
    expect(await read()).to.deep.equal({ admin: 'ENGINE_NOT_RUNNING', doctor: 'ok 0', node: `${DEFAULT} of-workers`, python: `${DEFAULT} of-workers` });
  });

  it('is a record of nobody for all of them, and for the next engine, when it is torn or of another program', async () => {
    lock.release();
    for (const text of ['{ "id": ', '[]', '7', JSON.stringify({ id: 'x', lock: 'y', addresses: ADDRESSES }), JSON.stringify({ id: 'a'.repeat(16), addresses: ADDRESSES })]) {
      writeFileSync(join(data, 'engine.json'), text);
      expect(await read(), text).to.deep.equal({ admin: 'ENGINE_NOT_RUNNING', doctor: 'warning 0', node: `${DEFAULT} of-workers`, python: `${DEFAULT} of-workers` });
      (await acquireEngineLock(data, { pid: 1, startedAt: '', version: '', application: '', addresses: {} })).release();
    }
  });

  it('is not taken for missing where it cannot be read', async () => {
    lock.release();
    mkdirSync(join(data, 'engine.json'));
    expect(await read()).to.include({ admin: 'ADMIN_UNREACHABLE', doctor: 'warning 0' });
    expect((await engineState(data)).finding.detail).to.match(/^whether one runs cannot be told: EISDIR.*engine\.json/);
  });
});
