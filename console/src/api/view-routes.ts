import { traceCapture } from '../capture/trace-capture.js';
import type { ConfigAnswer } from '../contract/index.js';
import { findings } from '../findings/findings.js';
import { flowGraph } from '../flows/flow-graph.js';
import { stepSource } from '../flows/step-source.js';
import { goTarget } from '../go/go-target.js';
import { pluginViews } from '../plugins/shown-views.js';
import { meta, overview } from './meta.js';
import type { OwnRoute } from './own-route.js';
import type { Surroundings } from './surroundings.js';
import { workersOverview } from './workers.js';

/** Routes that show the engine as a whole, from what its modules know. */
export const VIEW_ROUTES: readonly OwnRoute[] = [
  { method: 'GET', path: '/meta', takes: [], summary: 'What this engine is, who asks, and which parts of the API there are', answer: (surroundings, { caller }) => meta(surroundings, caller) },
  { method: 'GET', path: '/overview', takes: [], summary: 'How it goes, in a few numbers', answer: (surroundings) => overview(surroundings) },
  { method: 'GET', path: '/flows', takes: [], summary: 'Steps, topics and stores, and what leads where: declared and observed', answer: flowGraph },
  { method: 'GET', path: '/findings', takes: [], summary: 'What is not as it should be, the worst first', answer: async (surroundings) => ({ items: await findings(surroundings) }) },
  { method: 'GET', path: '/config', takes: [], summary: 'The configuration value by value, and where each comes from', answer: configAnswer },
  { method: 'GET', path: '/plugin-views', takes: [], summary: 'Views that plugins add to the page', answer: async ({ catalog, shownViews }) => ({ items: await pluginViews(catalog, shownViews) }) },
  { method: 'GET', path: '/workers', takes: [], summary: 'Step processes with the memory that they take', answer: workersOverview },
  { method: 'GET', path: '/steps/:id/source', takes: ['around', 'lines'], summary: "Lines of a Step's file", answer: stepSource },
  { method: 'GET', path: '/traces/:id/capture', takes: [], summary: 'A trace with its logs, inputs and Steps as one file', answer: traceCapture },
  { method: 'GET', path: '/go/:id', takes: [], summary: 'What an id or a name means, and where the page shows it', answer: (surroundings, { params }) => goTarget(surroundings, params['id'] ?? '') },
];

function configAnswer({ engine: { configFile: file }, settings }: Surroundings): ConfigAnswer {
  return { ...file !== undefined && { file }, items: settings.list() };
}
