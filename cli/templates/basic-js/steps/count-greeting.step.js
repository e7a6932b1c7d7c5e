import { queue, step } from 'treadle';
import { greeted } from '../src/greeted.js';

/** Runs once for each message; when it throws, it is tried again. */
export default step(
  {
    name: 'CountGreeting',
    description: 'Counts how often each name was greeted.',
    triggers: [queue(greeted)],
    flows: ['greetings'],
  },
  async ({ name }, { logger, state }) => {
    const { value } = await state.update('greetings', name, [{ type: 'increment', path: 'count' }]);
    logger.info('counted', { name, count: value.count });
  },
);
