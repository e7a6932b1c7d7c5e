import { expect } from 'chai';
import { AdminCommands } from '../admin/admin-commands.fixture.js';
import { expectGolden } from '../cli.fixture.js';

describe('treadle cron', function () {
  this.timeout(120_000);
  const commands = AdminCommands.use();
  const { printed, answers } = commands;

  it('list shows when each trigger runs and how it went', async () => {
    const trigger = { step: 'Nightly', trigger: '0 3 * * *', expression: '0 3 * * *', timezone: 'Europe/Berlin', paused: false, nextAt: '2026-03-02T02:00:00.000Z' };
    answers('GET /cron', { items: [{ ...trigger, lastRun: { scheduledAt: '2026-03-01T02:00:00.000Z', firedAt: '2026-03-01T02:00:00.004Z', status: 'succeeded', durationMs: 12 } },
      { ...trigger, step: 'Weekly', paused: true, nextAt: null, dropped: { ticks: 7, at: '2026-03-01T01:00:00.000Z' } }] });
    expectGolden('cron-list.txt', await printed('cron', 'list'));
    answers('GET /cron', { items: [] });
    expect(await printed('cron', 'list')).to.equal('No Step has a cron trigger.\n');
  });

  it('runs shows how the last ones of a trigger went', async () => {
    const run = { firedAt: '2026-03-01T02:00:00.004Z', attempt: 1, traceId: 'abc' };
    answers('GET /cron/runs', { items: [{ ...run, scheduledAt: '2026-03-02T02:00:00.000Z', status: 'failed', attempt: 2, durationMs: 7, error: 'Error: no\u001b paper\n    at x' },
      { ...run, scheduledAt: '2026-03-01T02:00:00.000Z', status: 'running', missed: true },
      { ...run, scheduledAt: '2026-03-01T01:00:00.001Z', status: 'succeeded', manual: true, durationMs: 1 },
    ] });
    expectGolden('cron-runs.txt', await printed('cron', 'runs', 'Nightly', '--trigger', 't', '--limit', '2'));
    expect(commands.admin.last?.path).to.equal('/api/v1/cron/runs?step=Nightly&trigger=t&limit=2');
    answers('GET /cron/runs', { items: [] });
    expect(await printed('cron', 'runs', 'Nightly')).to.equal('It has not run yet.\n');
    answers('GET /cron/runs', { items: [{ ...run, step: 'Nightly', scheduledAt: '2026-03-02T02:00:00.000Z', status: 'succeeded' }] });
    expect(await printed('cron', 'runs')).to.match(/^STEP +SCHEDULED .*\nNightly +2026-03-02/);
    expect(commands.admin.last?.path).to.equal('/api/v1/cron/runs?limit=20');
  });

  it('run, pause and resume one', async () => {
    answers('POST /cron/run', { runId: 'r-1', traceId: 'abc' });
    expect(await printed('cron', 'run', 'Nightly', '--trigger', 't')).to.equal('run r-1 of Nightly has begun, trace abc\n');
    expect(commands.admin.last?.body).to.deep.equal({ step: 'Nightly', trigger: 't' });
    answers('POST /cron/pause', { items: [] });
    expect(await printed('cron', 'pause', 'Nightly')).to.equal('Nightly is paused\n');
    answers('POST /cron/pause', { items: [{ step: 'Nightly', paused: true, pausedUntil: '2027-01-08T09:00:00.000Z' }] });
    expect(await printed('cron', 'pause', 'Nightly', '--until', '2027-01-08T09:00:00Z')).to.equal('Nightly is paused until 2027-01-08T09:00:00.000Z\n');
    expect(commands.admin.last?.body).to.deep.equal({ step: 'Nightly', until: '2027-01-08T09:00:00Z' });
    answers('POST /cron/skip', { step: 'Nightly', nextAt: '2026-03-03T02:00:00.000Z', skipped: [{ at: '2026-03-02T02:00:00.000Z', why: 'skipped by local' }] });
    expect(await printed('cron', 'skip', 'Nightly')).to.equal('Nightly skips 2026-03-02 02:00:00Z and runs next at 2026-03-03 02:00:00Z\n');
    answers('POST /cron/resume', { items: [] });
    expect(await printed('cron', 'resume', 'Nightly')).to.equal('Nightly is running\n');
  });
});
