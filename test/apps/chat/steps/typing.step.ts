import { http, step } from 'treadle';
import { session } from '../src/session.js';

export default step(
  { name: 'Typing', description: 'Tells the room; nothing is stored', triggers: [http('POST', '/api/rooms/:room/typing', { middleware: [session] })] },
  async ({ pathParams: { room } }, { auth, streams }) => {
    await streams.chat.send({ groupId: room }, { type: 'typing', data: { user: auth.user } });
    return { status: 204 };
  },
);
