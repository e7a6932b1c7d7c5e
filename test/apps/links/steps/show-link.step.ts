import { http, HttpError, step } from 'treadle';
import type { Link } from '../src/links.js';

export default step(
  { name: 'ShowLink', triggers: [http('GET', '/links/:code')] },
  async ({ pathParams: { code } }, { state }) => {
    const link = await state.get<Link>('links', code);
    if (link === null) throw new HttpError(404, `there is no link ${code}`);
    return { status: 200, body: { code, ...link } };
  },
);
