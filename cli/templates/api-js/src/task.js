import { z } from 'zod';

/** Group of the state that holds the tasks, by id. */
export const TASKS = 'tasks';

export const task = z.object({
  id: z.string(),
  description: z.string().min(1).max(200),
  completed: z.boolean(),
  createdAt: z.iso.datetime(),
  dueDate: z.iso.date().optional(),
});

/** What a client sends to make a task. */
export const newTask = task.pick({ description: true, dueDate: true });

/** What a client sends to change one: any of these. */
export const taskChanges = task.pick({ description: true, dueDate: true, completed: true }).partial();

/** Body of an answer that refuses a request. */
export const problem = z.object({ error: z.string() });
