import { randomBytes } from 'node:crypto';
import { http, HttpError, OperationError, step } from 'treadle';
import { z } from 'zod';
import type { Link } from '../src/links.js';

const wanted = z.object({
  url: z.url({ protocol: /^https?$/ }),
  code: z.string().regex(/^[\w-]{3,30}$/).optional(),
});

export default step(
  { name: 'Shorten', description: 'Makes a short link', triggers: [http('POST', '/links', { bodySchema: wanted })] },
  async ({ body: { url, code = randomBytes(6).toString('base64url') }, headers }, { state }) => {
    try {
      // Revision 0: only the first one gets the code.
      await state.compareAndSet<Link>('links', code, 0, { url, visits: 0 });
    } catch (error) {
      if (error instanceof OperationError && error.code === 'StateConflict') throw new HttpError(409, `the code ${code} is taken`);
      throw error;
    }
    return { status: 201, body: { code, short: `http://${headers['host']}/${code}` } };
  },
);
