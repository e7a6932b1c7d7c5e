// Writes oclif.manifest.json from the built commands, so that starting the tool loads one command and not all of them. By the class of
// @oclif/core that the `oclif` tool uses for it, too: that tool is 221 packages and 54 MB, most of it for uploading installers, and adds
// nothing to it. README.md is written by hand, because its table gives the exit codes; `--help` is the reference.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildManifest } from '../dist/plugins/manifest.js';

const file = new URL('../oclif.manifest.json', import.meta.url);
await writeFile(file, await buildManifest(fileURLToPath(new URL('..', import.meta.url))));
