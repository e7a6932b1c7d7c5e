import { type Diagnostic, formatLocation, type Logger } from '@treadle/api';
import { formatDiagnostic } from '../diagnostics/format-diagnostic.js';

/** Logs each diagnostic when it is new, and that all is well again. */
export class DiagnosticLog {
  private shown = new Set<string>();

  constructor(private readonly log: Logger) {}

  /** These are all that there are now. */
  show(diagnostics: readonly Diagnostic[]): void {
    const before = this.shown;
    this.shown = new Set(diagnostics.map(formatDiagnostic));
    for (const diagnostic of diagnostics) {
      if (before.has(formatDiagnostic(diagnostic))) continue;
      const { severity, code, message, remedy } = diagnostic;
      const level = severity === 'error' ? 'error' : 'warn';
      this.log[level]('a Step has a problem', { at: formatLocation(diagnostic), code, problem: message, remedy });
    }
    if (before.size > 0 && this.shown.size === 0) this.log.info('all Steps are in order again');
  }
}
