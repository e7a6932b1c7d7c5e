import type { Rewritten, TextNote } from '../migration.js';
import { mapLine } from '../line-map.js';
import { rewriteEmits } from './emits.js';
import { isStepFile } from './find-configs.js';
import { rewriteHandlers } from './handlers.js';
import { importsFamily, rewriteImports } from './imports.js';
import { rewriteSpecifiers, type RenamedImport } from './specifiers.js';
import { tellReplies } from './replies.js';
import { ScriptText, type TypeScript } from './script-text.js';
import { rewriteConfigs } from './step-config.js';
import { rewriteStores } from './stores.js';
import { importContext, rewriteStreamObjects, type StreamObjects } from './stream-objects.js';

type Pass = (script: ScriptText) => void;

/** What of the other files matters to one. */
export interface Neighbours {
  readonly renamed?: RenamedImport | undefined;
  readonly streams?: StreamObjects | undefined;
}

/** Whether a file may hold anything of the family's, told without parsing it. */
export function mayBeOfFamily(name: string, text: string): boolean {
  return isStepFile(name) || /(?:\.|_)stream\.[cm]?[jt]s$/.test(name) || /['"](?:motia|@motiadev|iii-sdk)(?:\/[^'"]*)?['"]/.test(text);
}

/**
 * A file of TypeScript or JavaScript in the form of this runtime. Each pass reads what the one before has written. Lines of notes are
 * those of `text`. A file that cannot be parsed stays as it is, with a note.
 */
export function migrateScript(ts: TypeScript, name: string, text: string, { renamed = () => undefined, streams = new Map() }: Neighbours = {}): Rewritten {
  const first = new ScriptText(ts, name, text);
  const fault = first.syntaxFault();
  if (fault) return { text, notes: [fault] };
  let current = text;
  const notes: TextNote[] = [];
  const run = (pass: Pass): void => {
    const script = new ScriptText(ts, name, current);
    pass(script);
    const rewritten = script.result();
    for (const note of rewritten.notes) notes.push({ ...note, line: mapLine(current, note.line, text) });
    current = rewritten.text;
  };
  run(rewriteConfigs);
  // JavaScript imports nothing of the family: there the form of the config tells.
  const ofFamily = importsFamily(first) || (isStepFile(name) && current !== text);
  run(rewriteHandlers);
  run((script) => rewriteStreamObjects(script, streams));
  if (ofFamily) [rewriteEmits, rewriteStores].forEach(run);
  run(rewriteImports);
  if (current !== text) run(importContext);
  run((script) => rewriteSpecifiers(script, renamed));
  if (ofFamily) run(tellReplies);
  return { text: current.replace(/import\((['"])motia\1\)\.(\w+)/g, "import('treadle').$2"), notes };
}
