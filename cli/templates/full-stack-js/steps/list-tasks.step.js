import { http, step } from 'treadle';
import { z } from 'zod';
import { ALL, problem, task } from '../src/task.js';

const pageNumber = z.number().int().min(1);
const pageSize = z.number().int().min(1).max(100);

/** GET /tasks?page=2&limit=10 answers the tasks of one page, oldest first. */
export default step(
  {
    name: 'ListTasks',
    description: 'Lists tasks page by page.',
    triggers: [
      http('GET', '/tasks', {
        querySchema: z.object({ page: pageNumber.default(1), limit: pageSize.default(10) }),
        responseSchema: { 200: z.object({ items: z.array(task), page: pageNumber, limit: pageSize }), 400: problem },
      }),
    ],
    flows: ['tasks'],
  },
  async ({ query: { page, limit } }, { streams }) => {
    const tasks = await streams.tasks.list(ALL);
    return { status: 200, body: { items: tasks.slice((page - 1) * limit, page * limit), page, limit } };
  },
);
