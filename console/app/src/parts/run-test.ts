import { isNumber, readJson, writeJson } from '../api/json.js';
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
/** Names of headers, arguments and members whose values do not belong into a file. */
const SECRET = /authorization|cookie|token|secret|passw(?:or)?d|passphrase|api[-_]?key|private[-_]?key|credential|session|^(?:x-)?(?:pin|otp|pwd)(?:[-_]?code)?$/i;
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;
const ARGUMENT = /[?&]([^=&]+)=[^&]*/g;

/** How a language writes what a test is made of. */
interface Language {
  readonly words: readonly [yes: string, no: string, nothing: string];
  readonly variable: (name: string) => string;
  readonly body: string;
}

const SCRIPT: Language = { words: ['true', 'false', 'null'], variable: (name) => `(process.env[${JSON.stringify(name)}] ?? '')`, body: 'body' };
const PYTHON: Language = { words: ['True', 'False', 'None'], variable: (name) => `os.environ.get(${JSON.stringify(name)}, "")`, body: 'answer.body' };

/** The test of a run in the language of its Step's file, for `treadle test`. What changes from run to run has to be there, whatever it is. */
export function testOf(run: TestedRun, file: string): TestFile {
  const words = `${run.request.method} ${(run.request.path.split('?')[0] ?? '')} ${run.outcome.status}`.toLowerCase().match(/[a-z\d]+/g) ?? [];
  if (file.endsWith('.py')) return { name: `test_${words.join('_')}.py`, text: pythonTest(run, words) };
  return { name: `${words.join('-')}.test.${/\.[cm]?ts$/.test(file) ? 'ts' : 'mjs'}`, text: scriptTest(run) };
}

function scriptTest({ request, outcome }: TestedRun): string {
  const options = optionsOf(request, SCRIPT).map(({ name, value }) => `${name}: ${value}`);
  const expected = expectedBody(request, outcome, SCRIPT);
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestEngine } from '@treadle/engine/testing';

test(${JSON.stringify(`${request.method} ${withoutSecrets(request.path)} answers ${outcome.status}`)}, async () => {
  const app = await createTestEngine(); // its state is empty: what the request needs comes by app.state.set(…)
  try {
    const { status${expected === undefined ? '' : ', body'} } = await app.http(${JSON.stringify(request.method)}, ${pathText(request.path, SCRIPT)}${options.length > 0 ? `, { ${options.join(', ')} }` : ''});
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
  const path = pathText(request.path, PYTHON);
  const usesSecrets = [path, ...options].some((text) => text.includes('os.environ'));
  return `${usesSecrets ? 'import os\n' : ''}from unittest import IsolatedAsyncioTestCase

from treadle.testing import create_test_engine


class ${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}(IsolatedAsyncioTestCase):
    async def test_answers_${outcome.status}(self):
        async with create_test_engine() as app:  # its state is empty: what the request needs comes by app.state.set(...)
            answer = await app.http(${JSON.stringify(request.method)}, ${path}${options.join('')})
            self.assertEqual(answer.status, ${outcome.status})
${expected === undefined ? '' : `            self.assertEqual(answer.body, ${expected})\n`}`;
}

/** A path as an expression: secret arguments come from variables. */
function pathText(path: string, language: Language): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { index, 0: { length }, 1: name = '' } of path.matchAll(ARGUMENT)) {
    if (!SECRET.test(name)) continue;
    pieces.push(JSON.stringify(path.slice(from, index + name.length + 2)), variableOf(name, language));
    from = index + length;
  }
  if (from < path.length) pieces.push(JSON.stringify(path.slice(from)));
  return pieces.join(' + ');
}

function withoutSecrets(path: string): string {
  return path.replaceAll(ARGUMENT, (argument, name: string) => (SECRET.test(name) ? `${argument.charAt(0)}${name}=…` : argument));
}

function variableOf(name: string, { variable }: Language): string {
  return variable(name.toUpperCase().replaceAll(/\W/g, '_'));
}

/** Headers and body of a request, as far as there are any. */
function optionsOf({ headers = {}, body }: RunHttp, language: Language): readonly { readonly name: string; readonly value: string }[] {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const json = body === undefined || (type !== undefined && !JSON_TYPE.test(type)) ? undefined : parsed(body);
  const isJson = json !== undefined && typeof json.value !== 'string';
  const sent = Object.entries(headers).filter(([name, value]) => !(isJson && name.toLowerCase() === 'content-type' && /^application\/json\b/i.test(value)));
  const shown = sent.map(([name, value]) => `${JSON.stringify(name)}: ${SECRET.test(name) ? variableOf(name, language) : JSON.stringify(value)}`);
  return [
    ...shown.length > 0 ? [{ name: 'headers', value: `{ ${shown.join(', ')} }` }] : [],
    ...body === undefined ? [] : [{ name: 'body', value: isJson ? literal(json.value, language) : JSON.stringify(body) }],
  ];
}

/** Undefined where nothing can be said of the body. */
function expectedBody({ path, body: sent = '' }: RunHttp, { headers, body, base64, truncated, bytes }: HttpOutcome, language: Language): string | undefined {
  if (bytes === 0 || base64 || truncated) return undefined;
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  if (!JSON_TYPE.test(type)) return /^text\//.test(type) ? JSON.stringify(body) : undefined;
  const json = parsed(body);
  return json && literal(json.value, language, { place: language.body, known: `${path}\n${sent}` });
}

/** With `place` a text that changes, or is secret, stands for itself there, unless the request has it; without, a secret comes from a variable. */
function literal(value: unknown, language: Language, at?: { readonly place: string; readonly known: string }): string {
  const { words: [yes, no, nothing] } = language;
  if (value === null) return nothing;
  if (typeof value === 'boolean') return value ? yes : no;
  if (typeof value === 'string' && at && CHANGING.test(value) && !at.known.includes(value)) return at.place;
  if (isNumber(value)) return writeJson(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  const inside = (key: string): typeof at => at && { ...at, place: `${at.place}[${key}]` };
  if (Array.isArray(value)) return `[${value.map((item, index) => literal(item, language, inside(String(index)))).join(', ')}]`;
  const members = Object.entries(value).map(([name, member]) => {
    const place = inside(JSON.stringify(name));
    const isSecret = typeof member === 'string' && SECRET.test(name);
    return `${JSON.stringify(name)}: ${isSecret ? place?.place ?? variableOf(name, language) : literal(member, language, place)}`;
  });
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: readJson(text) };
  } catch {
    return undefined; // Text of another kind is sent and compared as it is.
  }
}
