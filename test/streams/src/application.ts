import { tempApplication } from '../../support/temp-folder.js';

/** What all readers follow, and what those follow besides that will stall. */
export const STREAM = 'board';
export const GROUPS = ['all', 'bulk'] as const;
export type Group = (typeof GROUPS)[number];

/** What a request to the application asks for: one event of `bytes`, stored as an item or only sent. */
export interface Publish {
  readonly group: Group;
  /** Of the request, from 0. */
  readonly number: number;
  readonly bytes: number;
  readonly stored: boolean;
  /** So many at once; one when it is not given. Only those that are not stored. */
  readonly times?: number;
  /** The last event of its group: who has it has everything. */
  readonly last?: boolean;
}

const BOARD = `export const config = { name: '${STREAM}', canAccess: () => true };\n`;

/** \`at\` is when the handler handed the event over: the time to the readers includes the commit. */
const PUBLISH = `export const config = { name: 'Publish', triggers: [{ type: 'http', method: 'POST', path: '/publish' }] };
const ITEMS = 10;
export const handler = async ({ body: { group, number, bytes, stored, times = 1, last } }, { streams }) => {
  const data = { at: performance.timeOrigin + performance.now(), number, last, text: 'x'.repeat(bytes) };
  if (stored) await streams.${STREAM}.set(group, 'item-' + (number % ITEMS), data);
  else await Promise.all(Array.from({ length: times }, () => streams.${STREAM}.send({ groupId: group }, { type: 'tick', data })));
  return { status: 200, body: {} };
};
`;

/** Every client is welcome, whatever the load; little of the past is kept, so that memory tells of the clients. */
const CONFIG = {
  engine: { implicit_modules: false },
  modules: [
    { class: 'modules::http::HttpModule', config: { port: 0, max_event_loop_delay_ms: 60_000 } },
    { class: 'modules::steps::StepsModule', config: { port: false } },
    { class: 'modules::stream::StreamModule', config: { port: 0, max_clients: 20_000, max_retained_bytes: 4 * 2 ** 20 } },
  ],
};

/** Writes an application with one stream, and one Step that publishes to it, into a fresh folder. */
export function streamsApplication(): string {
  return tempApplication({ 'steps/board.stream.js': BOARD, 'steps/publish.step.js': PUBLISH, 'config.yaml': JSON.stringify(CONFIG) });
}
