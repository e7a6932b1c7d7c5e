import { cron, step } from 'treadle';
import { ALL } from '../src/task.js';

/** Runs every night at three, UTC. */
export default step(
  {
    name: 'RemoveCompleted',
    description: 'Deletes the tasks that are done.',
    triggers: [cron('0 3 * * *')],
    flows: ['tasks'],
  },
  async (_tick, { logger, streams }) => {
    const completed = (await streams.tasks.list(ALL)).filter((task) => task.completed);
    for (const { id } of completed) await streams.tasks.delete(ALL, id);
    logger.info('completed tasks removed', { count: completed.length });
  },
);
