import { BUNDLE, isCurrent } from './bundle.js';

const { main } = await import(isCurrent() ? new URL('main.js', BUNDLE).href : '../dist/main.js');

/** A handler that runs in this process must not keep the program from ending; see the in-process runtime. */
const exit = process.exit.bind(process);
const flushed = (stream) => new Promise((resolve) => stream.write('', () => resolve(undefined)));

/** A reader that went away (`treadle-engine | head`) must not end the engine. */
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

process.exitCode = await main(process.argv.slice(2), {
  cwd: process.cwd(), env: process.env, stdout: process.stdout, stderr: process.stderr,
});
await Promise.race([Promise.all([flushed(process.stdout), flushed(process.stderr)]), new Promise((resolve) => setTimeout(resolve, 1000))]);
exit();
