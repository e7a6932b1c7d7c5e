import { main } from '../dist/index.js';

// Kept before an engine in this process can refuse it to the handlers that run inside.
const exit = process.exit.bind(process);
exit(await main(process.argv.slice(2)));
