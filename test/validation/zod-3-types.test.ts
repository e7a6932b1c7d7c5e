import { expect } from 'chai';
import { http, queue, step, topic } from 'treadle';
import { z } from 'zod-3-22';

describe('schemas of zod 3.22', () => {
  it('type the handler by what they make of the input', () => {
    const made = step({ name: 'A', triggers: [http('POST', '/a', { bodySchema: z.object({ at: z.coerce.date(), tags: z.array(z.string()).default([]) }) })] }, ({ body }) => {
      const year: number = body.at.getFullYear();
      const first: string | undefined = body.tags[0];
      // @ts-expect-error -- no such member
      const none: unknown = body.nothing;
      return { status: 200, body: { year, first, none } };
    });
    expect(made.config.name).to.equal('A');
  });

  it('type what a topic carries', () => {
    const paid = topic('paid', z.object({ cents: z.number() }));
    const made = step({ name: 'B', triggers: [queue(paid)], enqueues: [paid] }, async ({ cents }, { enqueue }) => {
      await enqueue({ topic: paid, data: { cents: cents + 1 } });
      // @ts-expect-error -- cents are a number
      await enqueue({ topic: paid, data: { cents: 'many' } });
    });
    expect(made.config.enqueues).to.deep.equal([paid]);
  });
});
