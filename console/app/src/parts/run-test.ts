import type { HttpOutcome, RunHttp } from '../api/types.generated.js';

/** What is asked and what has to come. */
export interface TestedRun {
  readonly request: RunHttp;
  readonly outcome: HttpOutcome;
}

/** A test as a file of an application. */
export interface TestFile {
  readonly name: string;
  readonly text: string;
}

/** Ids, times and digests: what another run answers otherwise. */
const CHANGING = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)|[\da-f]{16,64})$/i;
const SECRET = /^(?:authorization|cookie)$|token|secret|password|api-?key/i;

/** How a language writes what a test is made of. */
interface Language {
  readonly words: readonly [yes: string, no: string, nothing: string];
  readonly variable: (name: string) => string;
  readonly body: string;
}

const SCRIPT: Language = { words: ['true', 'false', 'null'], variable: (name) => `process.env[${JSON.stringify(name)}] ?? ''`, body: 'body' };
const PYTHON: Language = { words: ['True', 'False', 'None'], variable: (name) => `os.environ.get(${JSON.stringify(name)}, "")`, body: 'answer.body' };

/** The test of a run in the language of its Step's file, for `treadle test`. What changes from run to run has to be there, whatever it is. */
export function testOf(run: TestedRun, file: string): TestFile {
  const words = `${run.request.method} ${(run.request.path.split('?')[0] ?? '')}`.toLowerCase().match(/[a-z\d]+/g) ?? [];
  if (file.endsWith('.py')) return { name: `test_${words.join('_')}.py`, text: pythonTest(run, words) };
  return { name: `${words.join('-')}.test.${/\.[cm]?ts$/.test(file) ? 'ts' : 'mjs'}`, text: scriptTest(run) };
}

function scriptTest({ request, outcome }: TestedRun): string {
  const options = optionsOf(request, SCRIPT).map(({ name, value }) => `${name}: ${value}`);
  const expected = expectedBody(request, outcome, SCRIPT);
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestEngine } from '@treadle/engine/testing';

test(${JSON.stringify(`${request.method} ${request.path} answers ${outcome.status}`)}, async () => {
  const app = await createTestEngine(); // its state is empty: what the request needs comes by app.state.set(…)
  try {
    const { status${expected === undefined ? '' : ', body'} } = await app.http(${[request.method, request.path].map((text) => JSON.stringify(text)).join(', ')}${options.length > 0 ? `, { ${options.join(', ')} }` : ''});
    assert.equal(status, ${outcome.status});
${expected === undefined ? '' : `    assert.deepEqual(body, ${expected});\n`}  } finally {
    await app.stop();
  }
});
`;
}

function pythonTest({ request, outcome }: TestedRun, words: readonly string[]): string {
  const options = optionsOf(request, PYTHON).map(({ name, value }) => `, ${name}=${value}`);
  const expected = expectedBody(request, outcome, PYTHON);
  const usesSecrets = options.some((option) => option.includes('os.environ'));
  return `${usesSecrets ? 'import os\n' : ''}from unittest import IsolatedAsyncioTestCase

from treadle.testing import create_test_engine


class ${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}(IsolatedAsyncioTestCase):
    async def test_answers_${outcome.status}(self):
        async with create_test_engine() as app:  # its state is empty: what the request needs comes by app.state.set(...)
            answer = await app.http(${[request.method, request.path].map((text) => JSON.stringify(text)).join(', ')}${options.join('')})
            self.assertEqual(answer.status, ${outcome.status})
${expected === undefined ? '' : `            self.assertEqual(answer.body, ${expected})\n`}`;
}

/** Headers and body of a request, as far as there are any. */
function optionsOf({ headers = {}, body }: RunHttp, language: Language): readonly { readonly name: string; readonly value: string }[] {
  const json = body === undefined ? undefined : parsed(body);
  const isJson = json !== undefined && typeof json.value !== 'string';
  const sent = Object.entries(headers).filter(([name, value]) => !(isJson && name.toLowerCase() === 'content-type' && /^application\/json\b/i.test(value)));
  const shown = sent.map(([name, value]) => `${JSON.stringify(name)}: ${SECRET.test(name) ? language.variable(name.toUpperCase().replaceAll(/\W/g, '_')) : JSON.stringify(value)}`);
  return [
    ...shown.length > 0 ? [{ name: 'headers', value: `{ ${shown.join(', ')} }` }] : [],
    ...body === undefined ? [] : [{ name: 'body', value: isJson ? literal(json.value, language) : JSON.stringify(body) }],
  ];
}

/** Undefined where nothing can be said of the body. */
function expectedBody({ path, body: sent = '' }: RunHttp, { headers, body, base64, truncated, bytes }: HttpOutcome, language: Language): string | undefined {
  if (bytes === 0 || base64 || truncated) return undefined;
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  if (!/^application\/(?:[\w.-]+\+)?json\b/.test(type)) return /^text\//.test(type) ? JSON.stringify(body) : undefined;
  const json = parsed(body);
  return json && literal(json.value, language, { place: language.body, known: `${path}\n${sent}` });
}

/** With `place` a text that changes stands for itself there, unless the request has it. */
function literal(value: unknown, language: Language, at?: { readonly place: string; readonly known: string }): string {
  const { words: [yes, no, nothing] } = language;
  if (value === null) return nothing;
  if (typeof value === 'boolean') return value ? yes : no;
  if (typeof value === 'string' && at && CHANGING.test(value) && !at.known.includes(value)) return at.place;
  if (typeof value !== 'object') return JSON.stringify(value);
  const inside = (key: string): typeof at => at && { ...at, place: `${at.place}[${key}]` };
  if (Array.isArray(value)) return `[${value.map((item, index) => literal(item, language, inside(String(index)))).join(', ')}]`;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${literal(member, language, inside(JSON.stringify(name)))}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined; // Text of another kind is sent and compared as it is.
  }
}
