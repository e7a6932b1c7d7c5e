// The engine's program from the files of the build, one for each source.
import { main } from '../../../core/engine/dist/main.js';

process.exitCode = await main(process.argv.slice(2), { cwd: process.cwd(), env: process.env, stdout: process.stdout, stderr: process.stderr });
