import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { http, queue, topic, type StepConfig } from 'treadle';
import { z } from 'zod';
import { configJson } from './config-json.js';

const HERE = fileURLToPath(import.meta.url);
const toJson = (config: unknown): Promise<unknown> => configJson(config as Record<string, unknown>, HERE);
const triggerOf = async (trigger: object): Promise<Record<string, unknown>> =>
  ((await toJson({ name: 'A', triggers: [trigger] })) as { triggers: Record<string, unknown>[] }).triggers[0] as Record<string, unknown>;

describe('the config of a Step as plain JSON', () => {
  it('has schemas as JSON Schema, middleware as a count, condition as true and topics as names', async () => {
    const created = topic('ticket.created', z.object({ id: z.string() }));
    const config = {
      name: 'A', description: undefined, flows: ['f'],
      triggers: [
        http('POST', '/a', { bodySchema: z.object({ n: z.number().default(3) }), responseSchema: { 200: z.string(), 400: { type: 'null' } }, middleware: [() => 1, () => 2], condition: () => true }),
        queue(created, { config: { maxAttempts: 3 } }), queue('plain'),
      ],
      enqueues: [created, 'other'],
    };
    const zod = { 'x-treadle-library': 'zod', 'x-treadle-exact': true };
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    expect(await toJson(config satisfies StepConfig)).to.deep.equal({
      name: 'A', flows: ['f'], enqueues: ['ticket.created', 'other'],
      triggers: [
        { type: 'http', method: 'POST', path: '/a', middleware: 2, condition: true, responseSchema: { 200: { $schema, type: 'string', ...zod }, 400: { type: 'null' } },
          bodySchema: { $schema, type: 'object', properties: { n: { type: 'number', default: 3 } }, ...zod } },
        { type: 'queue', topic: 'ticket.created', config: { maxAttempts: 3 }, input: { $schema, type: 'object', properties: { id: { type: 'string' } }, required: ['id'], ...zod } },
        { type: 'queue', topic: 'plain' },
      ],
    });
  });

  it('keeps unknown keys and wrong values for the diagnostics', async () => {
    const config = { nmae: 'A', triggers: [{ type: 'http', bodyShema: { type: 'string' }, middleware: 'auth' }, 'http', null], enqueues: 'one', since: new Date(0), pattern: /a/g };
    expect(await toJson(config)).to.deep.equal({
      nmae: 'A', triggers: [{ type: 'http', bodyShema: { type: 'string' }, middleware: 'auth' }, 'http', null], enqueues: 'one', since: '1970-01-01T00:00:00.000Z', pattern: '/a/g',
    });
  });

  it('leaves open what zod cannot express', async () => {
    const { bodySchema } = await triggerOf({ type: 'http', bodySchema: z.object({ at: z.date(), n: z.number() }) });
    expect(bodySchema).to.deep.include({ type: 'object', properties: { at: {}, n: { type: 'number' } } });
  });

  it('prefers the library\'s own JSON Schema, and is open for one that has none', async () => {
    const standard = { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) };
    const own = { '~standard': { ...standard, jsonSchema: { input: ({ target }: { target: string }) => ({ type: 'string', description: target }) } } };
    expect((await triggerOf({ type: 'queue', input: own }))['input']).to.deep.equal({ type: 'string', description: 'draft-2020-12', 'x-treadle-library': 'own' });
    expect((await triggerOf({ type: 'queue', input: { '~standard': standard } }))['input']).to.deep.equal({ 'x-treadle-library': 'own' });
    const callable = Object.assign(() => 1, { '~standard': standard });
    expect((await triggerOf({ type: 'queue', input: callable }))['input']).to.deep.equal({ 'x-treadle-library': 'own' });
  });

  it('names the key that cannot be told', async () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    for (const [config, message] of [
      [{ triggers: [{ type: 'queue', input: 7 }] }, 'triggers[0].input: a schema must be a Standard Schema (zod, …) or JSON Schema, not 7'],
      [{ triggers: [{ responseSchema: { 200: null } }] }, 'triggers[0].responseSchema.200: a schema must be a Standard Schema (zod, …) or JSON Schema, not null'],
      [{ meta: cycle }, 'meta: nested deeper than 64, or a cycle'],
    ] as const) {
      const error = await toJson(config).then(() => undefined, (reason: Error) => reason);
      expect(error?.message).to.equal(message);
    }
  });

  it('keeps a member named __proto__ as data', async () => {
    const plain = (await toJson(JSON.parse('{ "__proto__": { "polluted": 1 } }'))) as Record<string, unknown>;
    expect(Object.keys(plain)).to.deep.equal(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
  });
});
