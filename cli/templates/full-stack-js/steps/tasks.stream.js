import { task } from '../src/task.js';

/** Keeps the tasks, and tells every client that follows them what happens to them. */
export const config = {
  name: 'tasks',
  description: 'All tasks, live.',
  schema: task,
  // Everybody may follow, as everybody may ask GET /tasks. Decide here when there are users.
  canAccess: () => true,
};
