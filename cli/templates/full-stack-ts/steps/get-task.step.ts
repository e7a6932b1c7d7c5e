import { http, step } from 'treadle';
import { ALL, task } from '../src/task.js';

/** GET /tasks/:id answers one task. */
export default step(
  {
    name: 'GetTask',
    description: 'Reads one task.',
    triggers: [http('GET', '/tasks/:id', { responseSchema: { 200: task } })],
    flows: ['tasks'],
  },
  async ({ pathParams: { id } }, { streams }) => {
    const found = await streams.tasks.get(ALL, id);
    return found ? { status: 200, body: found } : { status: 404 };
  },
);
