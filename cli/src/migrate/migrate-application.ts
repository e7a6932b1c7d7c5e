import { basename } from 'node:path';
import { CLI_VERSION } from '../version.js';
import { readApplication } from './application-texts.js';
import { migrateEngineConfig } from './engine-config.js';
import { mapLine } from './line-map.js';
import { migrateProgramConfig } from './program-config.js';
import type { FileChange, Migration, Note, Rewritten } from './migration.js';
import { migrateManifest } from './package-manifest.js';
import { mayBePythonOfFamily, migratePython, type PythonSource } from './python-steps.js';
import { renamedImport, renamesOf } from './renames.js';
import { mayBeOfFamily, migrateScript } from './script/migrate-script.js';
import { loadTypeScript } from './script/load-typescript.js';
import { findStreamObjects } from './script/stream-objects.js';

/** A file with what becomes of it. */
interface Outcome extends Rewritten {
  readonly file: string;
  readonly before: string;
  readonly renamed?: string | undefined;
  readonly removed?: boolean;
}

/**
 * Works out what an application of the family needs to run here; writes nothing.
 * @throws {USAGE} when TypeScript's parser is needed and not installed
 */
export async function planMigration(folder: string): Promise<Migration> {
  const { texts: raw, notes: unread } = readApplication(folder);
  const files = [...raw].map(([name, text]) => ({ name, text: plainText(text) }));
  const renames = renamesOf(files);
  const outcomes = [
    ...files.flatMap(({ name, text }) => besides(name, text)),
    ...await scripts(folder, files, renames),
    ...await pythons(folder, files),
  ].map((outcome) => ({ ...outcome, renamed: renames.get(outcome.file) }));
  const changes = outcomes.filter(({ before, text, renamed, removed }) => before !== text || renamed !== undefined || removed === true)
    .map(({ file, text, renamed, removed }): FileChange => {
      const before = raw.get(file) ?? '';
      return { file, renamed, before, after: removed === true ? undefined : writtenAs(before, text) };
    });
  const notes = (after: boolean): readonly Note[] => [...unread, ...outcomes.flatMap((outcome) => outcome.notes.map((note) => ({
    ...note, file: after ? outcome.renamed ?? outcome.file : outcome.file, line: after ? mapLine(outcome.before, note.line, outcome.text) : note.line,
  })))].sort(byPlace);
  return { changes: [...changes].sort((a, b) => (a.file < b.file ? -1 : 1)), notes: notes(false), notesAfter: notes(true) };
}

/** Without a byte order mark, and with line ends as everything here expects them. */
function plainText(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}

/** A text with the mark and the line ends of what it takes the place of. */
function writtenAs(before: string, text: string): string {
  if (plainText(before) === text) return before;
  const lines = before.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
  return before.startsWith('\uFEFF') ? `\uFEFF${lines}` : lines;
}

function byPlace(a: Note, b: Note): number {
  return a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1;
}

/** Files that are no sources: manifest, configuration, and what only the other runtime reads. */
function besides(file: string, before: string): readonly Outcome[] {
  if (file === 'package.json') return [{ file, before, ...migrateManifest(before, `^${CLI_VERSION}`) }];
  if (/^[^/]+\.ya?ml$/.test(file)) return [{ file, before, ...migrateEngineConfig(file, before) }];
  if (/^motia\.config\.[cm]?[jt]s$/.test(file)) return [{ file, before, ...migrateProgramConfig(before) }];
  const isLayout = file === 'motia-workbench.json' || (/^types\.d\.ts$/.test(file) && /Automatically generated types for motia/i.test(before));
  return isLayout ? [{ file, before, text: '', notes: [], removed: true }] : [];
}

async function scripts(folder: string, files: readonly PythonSource[], renames: ReadonlyMap<string, string>): Promise<readonly Outcome[]> {
  const sources = files.filter(({ name, text }) => /\.[cm]?[jt]sx?$/.test(name) && besides(name, text).length === 0);
  const ofFamily = sources.filter(({ name, text }) => mayBeOfFamily(name, text));
  if (ofFamily.length === 0 && renames.size === 0) return [];
  const ts = await loadTypeScript(folder);
  const streams = findStreamObjects(ts, ofFamily);
  const neighbours = [...renames.keys(), ...streams.keys()].map((name) => basename(name).replace(/\.[cm]?[jt]s$/, ''));
  return sources.filter((one) => ofFamily.includes(one) || renames.has(one.name) || neighbours.some((name) => one.text.includes(name)))
    .map(({ name, text }) => ({ file: name, before: text, ...migrateScript(ts, name, text, { streams, renamed: (specifier) => renamedImport(renames, name, specifier) }) }));
}

async function pythons(folder: string, files: readonly PythonSource[]): Promise<readonly Outcome[]> {
  const mine = files.filter((file) => file.name.endsWith('.py') && mayBePythonOfFamily(file));
  if (mine.length === 0) return [];
  try {
    const rewritten = await migratePython(folder, mine);
    return mine.map(({ name, text }, index) => ({ file: name, before: text, ...(rewritten[index] ?? { text, notes: [] }) }));
  } catch (error) {
    const note = { line: 1, reason: `the file was not read: ${(error as Error).message}`, remedy: 'install Python, then run the command again' };
    return mine.map(({ name, text }) => ({ file: name, before: text, text, notes: [note] }));
  }
}
