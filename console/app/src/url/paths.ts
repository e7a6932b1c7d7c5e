import { pathOf } from './match-path.js';

/** Addresses of things. */
export const paths = {
  trace: (traceId: string, span?: string): string => pathOf('traces', traceId) + (span ? `?span=${span}` : ''),
  /** Two traces side by side, from the last run of a Step in each on. */
  comparison: (a: string, b: string, step = ''): string => `${pathOf('traces', a)}?vs=${b}${step === '' ? '' : `&step=${encodeURIComponent(step)}`}`,
  /** A run of a Step that was run once more, and the trace of that. */
  replay: (of: { readonly traceId: string; readonly spanId: string }, traceId: string, step: string): string => `${paths.comparison(of.traceId, traceId, step)}&from=${of.spanId}`,
  traces: (q: string): string => `/traces?q=${encodeURIComponent(q)}`,
  logs: (q: string): string => `/logs?q=${encodeURIComponent(q)}`,
  endpoint: (step: string, trigger: number): string => pathOf('endpoints', step, String(trigger)),
  topic: (topic: string, tab?: string): string => pathOf('queues', topic === '' ? '(changes)' : topic) + (tab ? `?tab=${tab}` : ''),
  stateGroup: (group: string): string => pathOf('state', group),
  stateKey: (group: string, key: string): string => pathOf('state', group, key),
  streamGroup: (stream: string, group: string): string => pathOf('streams', stream, group),
  cron: (step: string): string => pathOf('cron', step),
  pluginView: ({ plugin, id }: { readonly plugin: string; readonly id: string }): string => pathOf('x', plugin, id),
  module: (id: string): string => pathOf('modules', id),
  flowStep: (step: string): string => `/flows?step=${encodeURIComponent(step)}`,
};
