import { step, stream } from 'treadle';

const KEPT = 100;

export default step(
  { name: 'TrimRoom', description: 'Keeps the latest messages of a room', triggers: [stream('chat', { events: ['create'] })] },
  async ({ groupId }, { streams }) => {
    // In the order of their creation, the oldest first.
    const messages = await streams.chat.list(groupId);
    for (const { id } of messages.slice(0, Math.max(0, messages.length - KEPT))) await streams.chat.delete(groupId, id);
  },
);
