import type { IncomingMessage } from 'node:http';
import { type AdminRoute, wallTime } from '@treadle/api';
import type Koa from 'koa';
import type { Caller } from '../access/caller.js';
import { INTERNAL, refusalOf } from '../api/problem.js';
import type { Surroundings } from '../api/surroundings.js';
import { bodyHash } from '../server/json-body.js';
import { isUnsafe } from '../server/request-guard.js';
import { requestIdOf } from '../server/request-id.js';

/** Last part of the paths of questions that are asked as POST for the length of what they say. */
const QUESTIONS = /\/(?:search|facets|histogram|compare)$/;

/** A route of a module that answers such a question: by how it was declared, not by what was asked, as a key may be named so. */
export function isQuestion({ method, path, access }: Pick<AdminRoute, 'method' | 'path' | 'access'>): boolean {
  return method === 'POST' && access === 'viewer' && QUESTIONS.test(path);
}

/** Who changes something leaves a line in the log and an entry in the audit, without what was sent. `state.question`: it was none. */
export function auditing({ log, audit, clock }: Pick<Surroundings, 'log' | 'audit' | 'clock'>, callerOf: (request: IncomingMessage) => Caller): Koa.Middleware {
  return async (context, next) => {
    if (!isUnsafe(context.req)) return next();
    const { method, path, req: request } = context;
    const requestId = requestIdOf(context.res);
    const note = (status: number, code?: string): void => {
      const remote = request.socket.remoteAddress ?? '';
      const { name: who, role } = callerOf(request);
      log.info('admin request', { method, path, status, remote, who, requestId });
      if (context.state['question'] === true) return;
      const [body, selection] = [bodyHash(request), context.state['selection'] as string | undefined];
      const entry = { time: new Date(wallTime(clock)).toISOString(), who, role, remote, method, path, status, requestId };
      audit.add({ ...entry, ...body !== undefined && { body }, ...selection !== undefined && { selection }, ...code !== undefined && { code } });
    };
    try {
      await next();
      note(context.status);
    } catch (error) {
      const { status, code } = refusalOf(error) ?? INTERNAL;
      note(status, code);
      throw error;
    }
  };
}
