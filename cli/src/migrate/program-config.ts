import type { TextNote } from './migration.js';

const AUTHENTICATE = /\b(?:streamAuth|authenticateStream|authenticate)\b/;
const ADAPTERS = /\badapters\s*:/;

/** `motia.config.ts`, which nothing reads here: it goes, unless something in it has to be written elsewhere first. */
export function migrateProgramConfig(text: string): { readonly text: string; readonly notes: readonly TextNote[]; readonly removed: boolean } {
  const lines = text.split('\n');
  const at = (pattern: RegExp): number => lines.findIndex((line) => pattern.test(line)) + 1;
  const notes: TextNote[] = [];
  if (AUTHENTICATE.test(text)) {
    notes.push({
      line: at(AUTHENTICATE), reason: 'streams are authenticated by a file of their own, and nothing reads this one',
      remedy: 'export "authenticate" from steps/clients.stream-auth.ts (docs/streams.md); what it returns is "auth", without "context" around it',
    });
  }
  if (ADAPTERS.test(text)) notes.push({ line: at(ADAPTERS), reason: 'adapters are named in config.yaml, and nothing reads this file', remedy: 'write them there; "treadle modules list" has those that exist' });
  return { text, notes, removed: notes.length === 0 };
}
