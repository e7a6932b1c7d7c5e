import { STATUS_CODES } from 'node:http';
import type { BodyValue, HttpResult } from '@treadle/api';
import { problemBody } from './problem-body.js';

/** Body of an answer that was thrown without one: that of the engine's own errors, with the status as its code. Undefined for any other answer. */
export function thrownBody({ status, thrown }: HttpResult, traceId: string): BodyValue | undefined {
  if (thrown === undefined) return undefined;
  const name = STATUS_CODES[status] ?? `HTTP status ${status}`;
  return { kind: 'json', text: problemBody({ status, code: codeOf(name), error: thrown === '' ? name : thrown }, traceId, false) };
}

const codeOf = (name: string): string => name.toLowerCase().replaceAll("'", '').replace(/[^a-z0-9]+/g, '_');
