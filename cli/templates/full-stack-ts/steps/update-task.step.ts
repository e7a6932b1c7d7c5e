import { http, step } from 'treadle';
import { ALL, problem, task, taskChanges } from '../src/task.js';

/** PUT /tasks/:id {"completed": true} changes what the body names and answers the task. */
export default step(
  {
    name: 'UpdateTask',
    description: 'Changes one task.',
    triggers: [http('PUT', '/tasks/:id', { bodySchema: taskChanges, responseSchema: { 200: task, 400: problem } })],
    flows: ['tasks'],
  },
  async ({ pathParams: { id }, body }, { streams }) => {
    if (!await streams.tasks.get(ALL, id)) return { status: 404 };
    // Atomic: two requests that change different members at once both succeed.
    const { value } = await streams.tasks.update(ALL, id, [{ type: 'merge', value: body }]);
    return { status: 200, body: value };
  },
);
