import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@treadle/api';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { Sessions } from './sessions.js';
import { type CallerKeys, callerKeys, SessionStore } from './session-store.js';

const SILENT: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => SILENT };
const VIEWER = { name: 'grafana', role: 'viewer' } as const;
const keys = (token: string): CallerKeys => callerKeys({ tokens: [{ ...VIEWER, payloads: true, token }], none: false });

describe('sessions of the console', () => {
  let folder: string;
  let clock = fakeClock();
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'treadle-sessions-'));
    clock = fakeClock();
  });
  afterEach(() => rm(folder, { recursive: true }));

  const started = async (known: CallerKeys): Promise<Sessions> => {
    const sessions = new Sessions(clock, new SessionStore(folder, known, SILENT));
    await sessions.open();
    return sessions;
  };
  const begun = async (sessions: Sessions): Promise<string> => {
    const id = sessions.redeem(sessions.link(VIEWER).token) as string;
    await sessions.close();
    return id;
  };

  it('outlive the engine, and their ids are not in the file', async () => {
    const id = await begun(await started(keys('one-token-of-a-viewer')));
    expect(readFileSync(join(folder, 'sessions.json'), 'utf8')).not.to.contain(id);
    expect((await started(keys('one-token-of-a-viewer'))).callerOf(id)).to.deep.equal(VIEWER);
  });

  it('end with their token, its role, its sight of payloads and name, by themselves after 7 days, and when they are ended', async () => {
    const first = await started(keys('one-token-of-a-viewer'));
    const id = await begun(first);
    expect((await started(keys('another-token-of-a-viewer'))).callerOf(id)).to.equal(undefined);
    expect((await started(callerKeys({ tokens: [], none: false }))).callerOf(id)).to.equal(undefined);
    expect((await started(callerKeys({ tokens: [{ ...VIEWER, role: 'operator', payloads: true, token: 'one-token-of-a-viewer' }], none: false }))).callerOf(id)).to.equal(undefined);
    expect((await started(callerKeys({ tokens: [{ ...VIEWER, payloads: false, token: 'one-token-of-a-viewer' }], none: false }))).callerOf(id)).to.equal(undefined);
    await clock.advance(7 * 86_400_000 - 1);
    expect(first.callerOf(id)).to.deep.equal(VIEWER);
    await clock.advance(1);
    expect(first.callerOf(id)).to.equal(undefined);
    const second = await started(keys('one-token-of-a-viewer'));
    const other = await begun(second);
    second.end(other);
    await second.close();
    expect((await started(keys('one-token-of-a-viewer'))).callerOf(other)).to.equal(undefined);
  });

  it('that run out are told of, whether they began in this run or a former one', async () => {
    const first = await started(keys('one-token-of-a-viewer'));
    const id = first.redeem(first.link(VIEWER).token) as string;
    const ended: unknown[] = [];
    first.onEnd((caller) => ended.push(caller));
    await clock.advance(7 * 86_400_000 - 1);
    expect(ended).to.deep.equal([]);
    await first.close();
    const second = await started(keys('one-token-of-a-viewer'));
    const caller = second.callerOf(id);
    second.onEnd((one) => ended.push(one));
    await clock.advance(1);
    expect(ended).to.have.length(1);
    expect(ended[0]).to.equal(caller);
    await second.close();
  });

  it('end when the wall clock is set past their end, and count again when it is set back', async () => {
    const sessions = await started(keys('one-token-of-a-viewer'));
    const id = sessions.redeem(sessions.link(VIEWER).token) as string;
    const ended: unknown[] = [];
    sessions.onEnd((caller) => ended.push(caller));
    clock.wall = () => clock.now() + 8 * 86_400_000;
    await clock.advance(3_600_000);
    expect([sessions.callerOf(id), ended]).to.deep.equal([undefined, [VIEWER]]);
    clock.wall = () => clock.now();
    expect(sessions.callerOf(id)).to.deep.equal(VIEWER);
    await sessions.close();
  });

  it('begin anew with a file that was cut, or holds something else', async () => {
    for (const text of ['[{"id":', '{}', '[null, 7, {}, { "id": "x", "caller": null }]']) {
      writeFileSync(join(folder, 'sessions.json'), text);
      const sessions = await started(keys('one-token-of-a-viewer'));
      expect(sessions.callerOf(await begun(sessions)), text).to.deep.equal(VIEWER);
      await sessions.close();
    }
  });
});
