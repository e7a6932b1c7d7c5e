import { queue, step } from 'treadle';
import { followed } from '../src/links.js';

export default step(
  { name: 'CountVisit', triggers: [queue(followed)] },
  async ({ code }, { state }) => {
    await state.update('links', code, [{ type: 'increment', path: 'visits' }]);
  },
);
