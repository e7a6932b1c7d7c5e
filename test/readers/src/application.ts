import { tempApplication } from '../../support/temp-folder.js';

/** What runs the Steps that are asked. */
export const RUNTIMES = ['Node', 'Python', 'InProcess'] as const;
export type RuntimeName = (typeof RUNTIMES)[number];

/** What a Step answers with: pieces as they are wanted, one large JSON value, events as fast as `send` lets them go, events
 *  whose `send` nobody awaits, or little after much was logged. */
export type Answer = 'streamed' | 'whole' | 'events' | 'flood' | 'logged';

const JAVASCRIPT = `import { sse, streamed } from 'treadle';
const numbers = ({ request: { queryParams } }) => ({ bytes: Number(queryParams.bytes), lines: Number(queryParams.lines ?? 0) });
async function* pieces(bytes) {
  for (let left = bytes; left > 0; left -= 65536) yield Buffer.alloc(Math.min(left, 65536), 0x61);
}
async function events(send, bytes) {
  const text = 'x'.repeat(1000);
  for (let sent = 0; sent < bytes; sent += 1000) await send(text);
}
async function flood(send, bytes) {
  const text = 'x'.repeat(1000);
  for (let sent = 0; sent < bytes && !send.signal.aborted; sent += 1000) {
    send(text);
    if (sent % 50000 === 0) await new Promise((done) => setTimeout(done, 20));
  }
}
const ANSWERS = {
  streamed: ({ bytes }) => streamed(pieces(bytes)),
  whole: ({ bytes }) => ({ status: 200, body: { text: 'x'.repeat(bytes - 11) } }),
  events: ({ bytes }) => sse((send) => events(send, bytes)),
  flood: ({ bytes }) => sse((send) => flood(send, bytes)),
  logged: async ({ lines, bytes }, logger) => {
    const text = 'x'.repeat(bytes);
    for (let line = 0; line < lines; line++) {
      logger.info('a line', { line, text });
      if (line % 1000 === 999) await new Promise((done) => setImmediate(done));
    }
    return { status: 200, body: { lines } };
  },
};
export const config = { name: 'Answer', triggers: [{ type: 'http', method: 'GET', path: '/:answer' }] };
export const handler = (input, { logger }) => ANSWERS[input.request.pathParams.answer](numbers(input), logger);
`;

const PYTHON = `import asyncio
from treadle import sse, streamed

config = {"name": "Answer", "triggers": [{"type": "http", "method": "GET", "path": "/:answer"}]}


async def pieces(left):
    while left > 0:
        yield b"a" * min(left, 65536)
        left -= 65536


async def handler(input, ctx):
    numbers = {name: int(value) for name, value in input.request.query_params.items()}
    size, lines = numbers["bytes"], numbers.get("lines", 0)
    answer = input.request.path_params["answer"]
    if answer == "streamed":
        return streamed(pieces(size))
    if answer == "whole":
        return {"status": 200, "body": {"text": "x" * (size - 11)}}
    if answer == "events":

        async def events(send):
            for _ in range(0, size, 1000):
                await send("x" * 1000)

        return sse(events)
    if answer == "flood":

        async def flood(send):
            for sent in range(0, size, 1000):
                if send.signal.aborted:
                    return
                asyncio.create_task(send("x" * 1000))
                if sent % 50000 == 0:
                    await asyncio.sleep(0.02)

        return sse(flood)
    for line in range(lines):
        ctx.logger.info("a line", {"line": line, "text": "x" * size})
        if line % 1000 == 999:
            await asyncio.sleep(0)
    return {"status": 200, "body": {"lines": lines}}
`;

/** Settings of the HTTP module beside its port. */
export type HttpSettings = Readonly<Record<string, number>>;

/** Writes an application with one Step that gives every answer into a fresh folder. */
export function readersApplication(runtime: RuntimeName, http: HttpSettings): string {
  return tempApplication({
    ...(runtime === 'Python' ? { 'steps/answer_step.py': PYTHON } : { 'steps/answer.step.js': JAVASCRIPT }),
    'config.yaml': JSON.stringify({
      engine: { implicit_modules: false },
      modules: [
        // However busy the event loop is with bytes, nobody is refused for it: what counts is memory.
        { class: 'modules::http::HttpModule', config: { port: 0, max_event_loop_delay_ms: 60_000, ...http } },
        { class: 'modules::steps::StepsModule', config: { port: false, runtimes: [{ class: `modules::runtime::adapters::${runtime}` }] } },
      ],
    }),
  });
}
