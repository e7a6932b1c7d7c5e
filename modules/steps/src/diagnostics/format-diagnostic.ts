import { type Diagnostic, formatLocation } from '@treadle/api';

/** `file:line:column  error  CODE  text`, the remedy on a line of its own: the one printed form of every error. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const { severity, code, message, remedy } = diagnostic;
  return `${[formatLocation(diagnostic), severity, code, message].join('  ')}\n    hint: ${remedy}`;
}
