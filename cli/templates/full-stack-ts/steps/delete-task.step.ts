import { http, step } from 'treadle';
import { ALL } from '../src/task.js';

/** DELETE /tasks/:id forgets a task, whether or not it is there. */
export default step(
  {
    name: 'DeleteTask',
    description: 'Deletes one task.',
    triggers: [http('DELETE', '/tasks/:id')],
    flows: ['tasks'],
  },
  async ({ pathParams: { id } }, { streams }) => {
    await streams.tasks.delete(ALL, id);
    return { status: 204 };
  },
);
