import { http, step } from 'treadle';
import { z } from 'zod';

/** GET /hello?name=Ada answers { "message": "Hello, Ada!" }. */
export default step(
  {
    name: 'Hello',
    description: 'Greets whoever asks.',
    triggers: [
      http('GET', '/hello', {
        responseSchema: { 200: z.object({ message: z.string() }) },
      }),
    ],
  },
  async ({ query }, { logger }) => {
    const name = query['name'] ?? 'world';
    logger.info('greeting', { name });
    return { status: 200, body: { message: `Hello, ${name}!` } };
  },
);
