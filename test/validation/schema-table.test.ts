import { expect } from 'chai';
import { AdminClient, type ShownLetter } from '../support/admin-client.js';
import { EngineProcess } from '../support/engine-process.js';
import { type Answer, request } from '../support/http-client.js';
import { waitUntil } from '../support/wait-until.js';
import { agrees, libraryVerdict } from './library-verdict.js';
import { schemaApplication } from './schema-application.js';
import { SCHEMAS, TEXT_SCHEMAS } from './schemas.js';

interface Issue { readonly in: string; readonly path: string; readonly message: string }
type Letter = ShownLetter & { readonly errors: readonly { readonly issues?: readonly Issue[] }[] };

const names = Object.keys(SCHEMAS);
const texts = Object.keys(TEXT_SCHEMAS);
const told = (issues: readonly Issue[] | undefined): readonly string[] => (issues ?? []).map(({ path, message }) => `${path}: ${message}`);

for (const runtime of ['Node', 'InProcess'] as const) describe(`the engine and the libraries of schemas, with the runtime ${runtime}`, function () {
  this.timeout(120_000);
  let engine: EngineProcess;
  let url: string;

  before(async () => {
    engine = new EngineProcess({ cwd: schemaApplication(names, texts, runtime), args: ['--config', 'config.yaml'] });
    url = await engine.address('http');
    await waitUntil('all Steps', async () => (await request('POST', `${url}/send`, { topic: names[0], messages: [] })).status === 204);
  });
  after(async () => {
    await engine.stop();
  });

  /** Differences between what the engine answered and what the library says. */
  async function difference(schema: object, value: unknown, answer: Answer): Promise<readonly string[]> {
    const verdict = await libraryVerdict(schema, value);
    const issues = told((answer.json as { issues?: readonly Issue[] } | undefined)?.issues);
    const right = verdict.accepts ? answer.status === 204 : answer.status === 400 && agrees(verdict, issues);
    return right ? [] : [`${JSON.stringify(value)}: answered ${answer.status} ${JSON.stringify(issues)}, the library says ${JSON.stringify(verdict)}`];
  }

  for (const name of names) {
    const { schema, values } = SCHEMAS[name]!;

    it(`agree on bodies: ${name}`, async () => {
      expect(values.length).to.be.at.least(8);
      const found = await Promise.all(values.map(async (value) => difference(schema, value, await request('POST', `${url}/body/${name}`, value))));
      expect(found.flat()).to.deep.equal([]);
    });

    it(`agree on items of streams: ${name}`, async () => {
      for (const item of values) {
        const verdict = await libraryVerdict(schema, item);
        const { set, update } = (await request('POST', `${url}/put`, { stream: name, item })).json as Record<'set' | 'update', string>;
        for (const answer of [set, update]) {
          const reason = answer.slice(answer.indexOf('": ') + 3);
          const first = verdict.said.map((text) => text.replace(/^: /, ''));
          const right = verdict.accepts ? answer === 'taken' : first.some((text) => reason.includes(text));
          expect(right, `${JSON.stringify(item)}: ${answer}, the library says ${JSON.stringify(verdict)}`).to.equal(true);
        }
      }
    });
  }

  it('agree on messages of queues', async () => {
    const admin = new AdminClient(engine);
    for (const name of names) await request('POST', `${url}/send`, { topic: name, messages: SCHEMAS[name]!.values });
    await waitUntil('all deliveries', async () => (await admin.gathered()).every((line) => line.endsWith(': 0')));
    for (const name of names) {
      const { schema, values } = SCHEMAS[name]!;
      const letters = (await admin.letters(name)) as readonly Letter[];
      expect(letters.map(({ reason }) => reason)).to.satisfy((all: string[]) => all.every((reason) => reason === 'invalid_input'));
      for (const value of values) {
        const verdict = await libraryVerdict(schema, value);
        const letter = letters.find(({ data }) => JSON.stringify(data) === JSON.stringify(value));
        const issues = told(letter?.errors[0]?.issues);
        expect(verdict.accepts ? letter === undefined : agrees(verdict, issues), `${name} ${JSON.stringify(value)}: ${JSON.stringify([issues, verdict])}`).to.equal(true);
      }
    }
  });

  for (const name of texts) {
    const { schema, texts: queries } = TEXT_SCHEMAS[name]!;

    it(`agree on queries: ${name}`, async () => {
      for (const query of queries) {
        const answer = await request('GET', `${url}/query/${name}?${query}`);
        expect(await difference(schema, parsed(query, name.endsWith('tags')), answer), query).to.deep.equal([]);
      }
    });

    it(`agree on headers: ${name}`, async () => {
      for (const query of queries.filter((text) => !text.includes('&'))) {
        const headers = parsed(query, false) as Record<string, string>;
        const answer = await request('GET', `${url}/headers/${name}`, undefined, headers);
        expect(await difference(schema, headers, answer), query).to.deep.equal([]);
      }
    });
  }
});

/** A query as handlers get it: the last value of a name, or all of those whose schema asks for a list. */
function parsed(query: string, lists: boolean): object {
  const all = new URLSearchParams(query);
  return Object.fromEntries([...all.keys()].map((name) => [name, lists && name === 'tags' ? all.getAll(name) : all.getAll(name).at(-1)]));
}
