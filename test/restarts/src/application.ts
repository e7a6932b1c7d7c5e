import { tempApplication } from '../../support/temp-folder.js';

/** What all clients follow. */
export const PLACE = { streamName: 'board', groupId: 'g', id: 'item' } as const;

const BOARD = `export const config = { name: 'board', canAccess: () => true };\n`;
const SET = `export const config = { name: 'Set', triggers: [{ type: 'http', method: 'POST', path: '/set' }] };
export const handler = async ({ body: { from, times } }, { streams }) => {
  await Promise.all(Array.from({ length: times }, (_, index) => streams.board.set('g', 'item', { n: from + index })));
  return { status: 200, body: await streams.board.get('g', 'item') };
};
`;
/** A route that every engine of the application knows. */
export const KNOWN_ROUTE = '/known';
const KNOWN = `export const config = { name: 'Known', triggers: [{ type: 'http', method: 'GET', path: '${KNOWN_ROUTE}' }] };
export const handler = async () => ({ status: 200, body: {} });
`;

/** An application with one stream and a Step that writes one item of it many times at once. */
export function restartsApplication(ports: { readonly http: number; readonly stream: number }): string {
  const config = {
    engine: { implicit_modules: false },
    modules: [
      { class: 'modules::http::HttpModule', config: { port: ports.http, max_event_loop_delay_ms: 60000 } },
      { class: 'modules::stream::StreamModule', config: { port: ports.stream } },
      { class: 'modules::steps::StepsModule', config: { port: false } },
    ],
  };
  return tempApplication({
    'steps/board.stream.js': BOARD, 'steps/set.step.js': SET, 'steps/known.step.js': KNOWN, 'config.yaml': JSON.stringify(config),
  });
}
