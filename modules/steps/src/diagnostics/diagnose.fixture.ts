import type { DeclaredTriggerKind, StepFileReport } from '@treadle/api';

/** A kind like the one of the HTTP module, as far as diagnostics see it. */
export const httpKind: DeclaredTriggerKind = {
  type: 'http', summary: '', owner: 'modules::http::HttpModule',
  schema: {
    type: 'object', additionalProperties: false, required: ['method', 'path'],
    properties: {
      method: { enum: ['GET', 'POST', 'PUT', 'DELETE'] }, path: { type: 'string' }, bodySchema: { type: 'object' },
      timeoutMs: { type: 'integer', minimum: 100, maximum: 86_400_000 },
    },
  },
  validate: ({ path }) => (String(path).startsWith('/_') ? [{
    key: 'path', code: 'STEP_RESERVED_ROUTE', message: `"${String(path)}" belongs to the engine`, remedy: 'choose another path',
  }] : []),
  exclusiveKey: ({ method, path }) => `${String(method)} ${String(path).replace(/:[^/]+/g, ':')}`,
  label: ({ method, path }) => `${String(method)} ${String(path)}`,
};

/** A kind that checks nothing and collides with nothing. */
export const queueKind: DeclaredTriggerKind = {
  type: 'queue', summary: '', owner: 'modules::queue::QueueModule', schema: { type: 'object' },
};

export const get = (path: string): object => ({ type: 'http', method: 'GET', path });

export function report(file: string, config: unknown, line = 3): StepFileReport {
  return { file: `steps/${file}.step.ts`, version: '1', steps: [{ config, line }] };
}
