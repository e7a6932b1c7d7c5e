import { http, step } from 'treadle';
import { z } from 'zod';
import { greeted } from '../src/greeted.js';

/** GET /hello?name=Ada answers { "message": "Hello, Ada!" }. */
export default step(
  {
    name: 'Hello',
    description: 'Greets whoever asks.',
    triggers: [
      http('GET', '/hello', {
        querySchema: z.object({ name: z.string().min(1).max(100).default('world') }),
        responseSchema: { 200: z.object({ message: z.string() }) },
      }),
    ],
    enqueues: [greeted],
    flows: ['greetings'],
  },
  async ({ query: { name } }, { enqueue, logger }) => {
    logger.info('greeting', { name });
    // Resolves when the message is safely stored. The answer does not wait for the Steps that consume it.
    await enqueue({ topic: greeted, data: { name } });
    return { status: 200, body: { message: `Hello, ${name}!` } };
  },
);
