import { http, OperationError, step } from 'treadle';
import { problem, task, TASKS, taskChanges, type Task } from '../src/task.js';

/** PUT /tasks/:id {"completed": true} changes what the body names and answers the task. */
export default step(
  {
    name: 'UpdateTask',
    description: 'Changes one task.',
    triggers: [http('PUT', '/tasks/:id', { bodySchema: taskChanges, responseSchema: { 200: task, 400: problem, 409: problem } })],
    flows: ['tasks'],
  },
  async ({ pathParams: { id }, body }, { state }) => {
    const entry = await state.getEntry<Task>(TASKS, id);
    if (!entry) return { status: 404 };
    try {
      // Refused when the task was changed or deleted since it was read.
      const { value } = await state.compareAndSet(TASKS, id, entry.revision, { ...entry.value, ...body });
      return { status: 200, body: value };
    } catch (error) {
      if (!(error instanceof OperationError && error.code === 'StateConflict')) throw error;
      return { status: 409, body: { error: 'the task was changed meanwhile; try again' } };
    }
  },
);
