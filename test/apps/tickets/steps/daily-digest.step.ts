import { cron, step } from 'treadle';
import { digestRun } from '../src/topics.js';

export const { config, handler } = step(
  {
    name: 'DailyDigest',
    description: 'Asks for the digest of the day every morning',
    triggers: [cron('0 9 * * *', { timezone: 'Europe/Berlin' })],
    enqueues: [digestRun],
    flows: ['digest'],
  },
  async ({ scheduledAt }, { enqueue }) => {
    const date = scheduledAt.slice(0, 10);
    await enqueue({ topic: digestRun, data: { date }, dedupeKey: date });
  },
);
