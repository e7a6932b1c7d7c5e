import { type Diagnostic, formatLocation, type Logger } from '@treadle/api';
import { condense } from '../diagnostics/condense.js';
import { formatDiagnostic } from '../diagnostics/format-diagnostic.js';

/** Logs each diagnostic when it is new, and that all is well again. */
export class DiagnosticLog {
  private shown: ReadonlyMap<string, Diagnostic> = new Map();

  constructor(private readonly log: Logger) {}

  /** These are all that there are now. Of a catalog that is not `known` whole, warnings are held back, and count as they did. */
  show(diagnostics: readonly Diagnostic[], known = true): void {
    const before = this.shown;
    const held = known ? [] : [...before].filter(([, { severity }]) => severity === 'warning');
    this.shown = new Map([...held, ...condense(diagnostics).map((diagnostic) => [formatDiagnostic(diagnostic), diagnostic] as const)]);
    for (const [text, diagnostic] of this.shown) {
      if (before.has(text)) continue;
      const { severity, code, message, remedy } = diagnostic;
      const level = severity === 'error' ? 'error' : 'warn';
      this.log[level]('a Step has a problem', { at: formatLocation(diagnostic), code, problem: message, remedy });
    }
    if (before.size > 0 && this.shown.size === 0) this.log.info('no Step has a problem any more');
  }
}
