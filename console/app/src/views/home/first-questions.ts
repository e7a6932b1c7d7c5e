import { askEarly } from '../../api/use-api.js';

/** Of the streams that are declared when the engine starts. */
export const NO_RUN = 'stream.declaration';
/** The latest runs that Home asks for. */
export const RECENT_RUNS = { limit: 20, q: `-trigger:${NO_RUN}` } as const;

/** What Home shows, asked for while its code and the page around it are on their way. */
export function askForHome(): void {
  askEarly('GET /steps');
  askEarly('GET /traces', RECENT_RUNS);
  askEarly('GET /findings');
}
