// Writes oclif.manifest.json from the built commands, so that starting the tool loads one command and not all of them.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildManifest } from '../dist/plugins/manifest.js';

const file = new URL('../oclif.manifest.json', import.meta.url);
await writeFile(file, await buildManifest(fileURLToPath(new URL('..', import.meta.url))));
