import { http, step } from 'treadle';
import { TASKS } from '../src/task.js';

/** DELETE /tasks/:id forgets a task, whether or not it is there. */
export default step(
  {
    name: 'DeleteTask',
    description: 'Deletes one task.',
    triggers: [http('DELETE', '/tasks/:id')],
    flows: ['tasks'],
  },
  async ({ pathParams: { id } }, { state }) => {
    await state.delete(TASKS, id);
    return { status: 204 };
  },
);
