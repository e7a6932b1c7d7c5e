/** Program of the thread that reads and checks large values, one after the other. */
import { parentPort } from 'node:worker_threads';
import { ThreadGarbage } from '@treadle/api';
import { outlineOf } from '../outline.js';
import { readJson } from '../read-json.js';
import { SchemaCheck } from '../schema-check.js';
import type { CheckAnswer, CheckReply, CheckRequest } from './check-messages.js';

const checks = new Map<number, SchemaCheck>();
/** A MiB of JSON can be 25 MB as a value, of which nothing is needed any more once it is judged. */
const garbage = new ThreadGarbage(8 * 2 ** 20);

parentPort?.on('message', (request: CheckRequest) => {
  const { space } = request;
  const reply: CheckReply = { answer: answer(request), space };
  parentPort?.postMessage(reply, [space]);
  garbage.tidy();
});

function answer(request: CheckRequest): CheckAnswer {
  try {
    return judge(request);
  } catch (error) {
    return error instanceof SyntaxError ? { fault: 'it is not valid JSON' } : { error: String((error as Error).stack) };
  }
}

function judge({ space, length, as, check: id, outline, source, forget }: CheckRequest): CheckAnswer {
  if (forget) checks.clear();
  if (id !== undefined && source) checks.set(id, new SchemaCheck(JSON.parse(source.schema) as object | boolean, source.place));
  const buffer = Buffer.from(space, 0, length);
  const read = as === 'json' ? readJson(buffer) : { value: as === 'text' ? buffer.toString() : JSON.parse(buffer.toString()) as unknown };
  if ('fault' in read) return read;
  const check = id === undefined ? undefined : checks.get(id);
  // A value must not pass for want of its schema.
  if (id !== undefined && !check) return { error: `check ${id} is not known in its thread` };
  const refusal = check?.refuse(read.value, length);
  return outline ? { refusal, outline: outlineOf(read.value) } : { refusal };
}
