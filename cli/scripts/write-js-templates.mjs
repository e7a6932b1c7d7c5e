// Makes the JavaScript templates from the TypeScript ones: without their types, and otherwise as they are, with comments and blank lines.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import blankSpace from 'ts-blank-space';

const source = fileURLToPath(new URL('../templates/', import.meta.url));
const target = fileURLToPath(new URL('../dist/templates/', import.meta.url));
const SOURCES = /(?<!\.d)\.ts$/;

await rm(target, { recursive: true, force: true });
for (const folder of await readdir(source)) if (folder.endsWith('-ts')) await writeFolder(folder, folder.replace(/-ts$/, '-js'));

async function writeFolder(from, to) {
  for (const name of await readdir(join(source, from), { recursive: true })) {
    if (!SOURCES.test(name)) continue;
    const file = join(target, to, name.replace(SOURCES, '.js'));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, withoutTypes(await readFile(join(source, from, name), 'utf8'), join(from, name)));
  }
}

/** ts-blank-space puts spaces where types were, so every place stays where it was; here they and the lines that held nothing else go. */
function withoutTypes(text, name) {
  const blanked = blankSpace(text, (node) => {
    throw new Error(`templates/${name}: JavaScript has nothing for "${node.getText()}"; write it without`);
  });
  const lines = text.split('\n').map((line) => line.length);
  let at = 0;
  const kept = lines.flatMap((length) => {
    const [before, after] = [text, blanked].map((all) => all.slice(at, at + length));
    at += length + 1;
    if (before === after) return [before];
    return after.trim() === '' ? [] : [withoutGaps(before, after)];
  });
  return kept.join('\n').replace(/^\n+/, '');
}

/** A gap ends where code or a space of the source follows; a list may not end with the comma before it. */
function withoutGaps(before, after) {
  return after.replaceAll(/[ \t]+/g, (gap, at) => {
    const erased = before.slice(at, at + gap.length);
    if (erased === gap) return gap;
    return erased.endsWith(' ') ? ' ' : '';
  }).replaceAll(/, \}/g, ' }');
}
