// npm run release -- v0.2.0: what a version tag sets going. Works on the checkout in the working directory.
import { releaseOptions, USAGE, type ReleaseOptions } from './options.js';
import { release, type ReleaseEnd } from './release.js';

/** As everywhere: 64 bad usage, 65 what was given is at fault, 69 something needed did not do its part. */
const EXIT_CODES: Readonly<Record<ReleaseEnd, number>> = { released: 0, refused: 64, 'rolled-back': 65, stuck: 69 };

const say = (line: string): void => {
  process.stdout.write(`[release] ${line}\n`);
};

// A running command gets Ctrl-C as well and fails; the release then has to be rolled back rather than left half done.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => say(`${signal}: ends when the running command has ended`));

process.exitCode = await main();

async function main(): Promise<number> {
  let options: ReleaseOptions;
  try {
    options = releaseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}\n`);
    return 64;
  }
  return EXIT_CODES[await release(options, say)];
}
