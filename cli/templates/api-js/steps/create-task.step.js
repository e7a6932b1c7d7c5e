import { randomUUID } from 'node:crypto';
import { http, step } from 'treadle';
import { newTask, problem, task, TASKS } from '../src/task.js';

/** POST /tasks {"description": "Buy milk"} stores a task and answers it. */
export default step(
  {
    name: 'CreateTask',
    description: 'Stores a new task.',
    triggers: [
      http('POST', '/tasks', {
        // A body that does not fit is answered with 400 before the handler runs.
        bodySchema: newTask,
        responseSchema: { 201: task, 400: problem },
      }),
    ],
    flows: ['tasks'],
  },
  async ({ body }, { logger, state }) => {
    const now = new Date();
    // Begins with the time: the keys of a group are listed in ascending order, so the oldest task comes first.
    const id = `${now.getTime()}-${randomUUID().slice(0, 8)}`;
    const created = { id, ...body, completed: false, createdAt: now.toISOString() };
    await state.set(TASKS, id, created);
    logger.info('task created', { id });
    return { status: 201, body: created };
  },
);
