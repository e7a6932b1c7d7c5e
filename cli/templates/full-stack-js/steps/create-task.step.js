import { randomUUID } from 'node:crypto';
import { http, step } from 'treadle';
import { ALL, newTask, problem, task } from '../src/task.js';

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
  async ({ body }, { logger, streams }) => {
    const created = { id: randomUUID(), ...body, completed: false, createdAt: new Date().toISOString() };
    await streams.tasks.set(ALL, created.id, created);
    logger.info('task created', { id: created.id });
    return { status: 201, body: created };
  },
);
