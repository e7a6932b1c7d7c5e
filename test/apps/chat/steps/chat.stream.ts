import type { StreamConfig, StreamItem } from 'treadle';
import { z } from 'zod';

export const config = {
  name: 'chat',
  description: 'Messages by room',
  schema: z.object({ id: z.string(), user: z.string(), text: z.string(), at: z.string() }),
  canAccess: (_subscription, auth?: { user: string }) => auth !== undefined,
} satisfies StreamConfig<{ user: string }>;

declare module 'treadle' {
  interface Streams { chat: StreamItem<typeof config> }
}
