import { cliProgram, EngineProcess } from './engine-process.js';
import { type Answer, request } from './http-client.js';
import { waitUntil } from './wait-until.js';

/** HTTP and Steps on free ports; `steps` adds settings of the latter. A machine that has much else to do is not what is tried here. */
export const MODULES = (steps: string, port: number | string = 0): string => `modules:
  - { class: modules::http::HttpModule, config: { port: 0, max_event_loop_delay_ms: 60000 } }
  - { class: modules::steps::StepsModule, config: { port: ${port}${steps} } }
`;
/** Steps of all kinds of JavaScript, shared code, and files that are read from beside the sources; no `type` in package.json. */
export const APPLICATION = {
  'package.json': '{ "name": "shop", "private": true, "dependencies": { "treadle": "*", "zod": "*" } }\n',
  'config.yaml': MODULES(''),
  'src/prices.ts': `export function price(id: string): number {
  if (id === 'broken') throw new Error('no price for ' + id);
  return id.length;
}
`,
  'steps/price.step.ts': `import { readFileSync } from 'node:fs';
import { http, step } from 'treadle';
import { z } from 'zod';
import { price } from '../src/prices.js';
const querySchema = z.object({ n: z.coerce.number().default(1) });
export default step({ name: 'Price', triggers: [http('GET', '/prices/:id', { querySchema })] }, async ({ pathParams, query }) => ({
  status: 200, body: { price: price(pathParams.id) * query.n, unit: readFileSync(new URL('unit.txt', import.meta.url), 'utf8'), node: process.version, env: process.env['SHOP'] ?? null },
}));
`,
  'steps/unit.txt': 'EUR',
  'steps/words.step.js': `export const config = { name: 'Words', triggers: [{ type: 'http', method: 'GET', path: '/words' }] };
export const handler = async () => ({ status: 200, body: (await import('../src/words.cjs')).default.words });
`,
  'src/words.cjs': "const { join } = require('node:path');\nmodule.exports = { words: [join('a', 'b'), require('node:fs').readFileSync(join(__dirname, 'word.txt'), 'utf8')] };\n",
  'src/word.txt': 'a word',
  'steps/legacy.step.cjs': `const { http, step } = require('treadle');
module.exports = step({ name: 'Legacy', triggers: [http('GET', '/legacy')] }, async () => ({ status: 200, body: 'legacy' }));
`,
};

/** A Step that loads only where a variable is set. */
export const NEEDY = `import { http, step } from 'treadle';
if (!process.env['NEEDED']) throw new Error('NEEDED is not set');
export default step({ name: 'Needy', triggers: [http('GET', '/needy')] }, async () => ({ status: 204 }));
`;

/** Asks until the answer is the one. */
export const answered = (url: string, holds: (answer: Answer) => boolean = ({ status }) => status === 200): Promise<Answer> =>
  waitUntil(`an answer of ${url}`, async () => {
    const answer = await request('GET', url);
    return holds(answer) && answer;
  });

/** `treadle start`. */
export const start = (cwd: string, env: Record<string, string> = {}): EngineProcess =>
  new EngineProcess({ cwd, args: ['start'], program: cliProgram(), env: { LOG_FORMAT: 'json', ...env } });

/** The last log record with this message. */
export function logged({ output }: EngineProcess, message: string): Record<string, unknown> | undefined {
  const lines = output.split('\n').filter((line) => line.includes(JSON.stringify(message)));
  return lines.length === 0 ? undefined : JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
}
