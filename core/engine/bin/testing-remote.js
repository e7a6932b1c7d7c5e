import { BUNDLE, isCurrent } from './bundle.js';

const { RemoteKit } = await import(isCurrent() ? new URL('testing-remote.js', BUNDLE).href : '../dist/testing/remote/remote-kit.js');

const exit = process.exit.bind(process);
const write = process.stdout.write.bind(process.stdout);
// What plugins print must not come between the answers.
process.stdout.write = process.stderr.write.bind(process.stderr);
// Ctrl-C reaches the whole process group; this process goes with the test's.
process.on('SIGINT', () => undefined);
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

await new RemoteKit(process.stdin, write).run();
exit();
