import { field, int, plainInsert, str, type TransferSlot } from '../transfer/transfer-table.js';

const TRIGGER = { step: field('name', 'step'), trigger: field('name', 'trig') };
const RUN_COLUMNS = 'seq, id, step, trig, scheduled_at, fired_at, attempt, manual, missed, status, duration_ms, trace_id, error';

/** How the rows of the cron adapter travel to another store. */
export const cronTransfer: TransferSlot = {
  slot: 'cron',
  tables: [
    {
      name: 'schedule', from: 'cron_schedules', key: [str('step'), str('trig')], write: plainInsert('cron_schedules', 'step, trig, since, paused, paused_until, last_tick'),
      fields: { ...TRIGGER, since: field('number', 'since'), paused: field('flag', 'paused'), pausedUntil: field('number', 'paused_until'), lastTick: field('number', 'last_tick') },
    },
    {
      name: 'run', from: 'cron_runs', key: [int('seq')], write: plainInsert('cron_runs', RUN_COLUMNS),
      fields: {
        order: field('number', 'seq'), id: field('text', 'id'), ...TRIGGER, scheduledAt: field('number', 'scheduled_at'), firedAt: field('number', 'fired_at'),
        attempt: field('number', 'attempt'), manual: field('flag', 'manual'), missed: field('flag', 'missed'), status: field('text', 'status'),
        durationMs: field('number', 'duration_ms'), traceId: field('text', 'trace_id'), error: field('text', 'error'),
      },
    },
    {
      name: 'span', from: 'cron_forgotten', key: [str('step'), str('trig'), int('first_tick')],
      fields: { ...TRIGGER, first: field('number', 'first_tick'), last: field('number', 'last_tick') },
      write: plainInsert('cron_forgotten', 'step, trig, first_tick, last_tick'),
    },
  ],
  finish: [],
};
