import type { Diagnostic } from '@treadle/api';

/** Said of files one by one, although the fault lies in none of them. */
const OF_NO_FILE = ['STEP_NO_INTERPRETER', 'STEP_NO_RUNTIME'];
/** Further files that are named. */
const MAX_NAMED = 5;

/** For people: what concerns several files in the same way is said once, of the first one, with the names of the others. */
export function condense(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const alike = new Map<string, Diagnostic[]>();
  return diagnostics.filter((diagnostic) => {
    if (!OF_NO_FILE.includes(diagnostic.code)) return true;
    const key = JSON.stringify([diagnostic.code, diagnostic.message, diagnostic.remedy]);
    const before = alike.get(key);
    if (before) before.push(diagnostic);
    else alike.set(key, [diagnostic]);
    return before === undefined;
  }).map((diagnostic) => {
    const [, ...others] = [...alike.values()].find(([first]) => first === diagnostic) ?? [];
    return others.length === 0 ? diagnostic : { ...diagnostic, message: `${diagnostic.message}; the same holds for ${named(others)}` };
  });
}

function named(diagnostics: readonly Diagnostic[]): string {
  const files = diagnostics.map(({ file }) => file);
  const more = files.length - MAX_NAMED;
  return files.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
