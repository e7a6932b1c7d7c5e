import { http, step } from 'treadle';
import { z } from 'zod';
import { session } from '../src/session.js';

export default step(
  {
    name: 'SignIn',
    description: 'Begins a session under a name; a real application asks for a password',
    triggers: [http('POST', '/api/sign-in', { bodySchema: z.object({ user: z.string().min(1).max(40) }) })],
  },
  async ({ body }) => ({ status: 204, headers: { 'set-cookie': session.begin({ user: body.user }) } }),
);
