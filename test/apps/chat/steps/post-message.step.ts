import { http, step } from 'treadle';
import { z } from 'zod';
import { session } from '../src/session.js';

export default step(
  {
    name: 'PostMessage',
    triggers: [http('POST', '/api/rooms/:room/messages', { bodySchema: z.object({ text: z.string().min(1).max(2000) }), middleware: [session] })],
  },
  async ({ pathParams: { room }, body }, { auth, now, streams, traceId }) => {
    const message = await streams.chat.set(room, traceId, { id: traceId, user: auth.user, text: body.text, at: new Date(now()).toISOString() });
    return { status: 201, body: message };
  },
);
