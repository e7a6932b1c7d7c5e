import { http, HttpError, redirect, step } from 'treadle';
import { followed, type Link } from '../src/links.js';

export default step(
  { name: 'Follow', description: 'Sends the visitor on, and has the visit counted afterwards', triggers: [http('GET', '/:code')], enqueues: [followed] },
  async ({ pathParams: { code } }, { enqueue, state }) => {
    const link = await state.get<Link>('links', code);
    if (link === null) throw new HttpError(404, `there is no link ${code}`);
    await enqueue({ topic: followed, data: { code } });
    return redirect(link.url);
  },
);
