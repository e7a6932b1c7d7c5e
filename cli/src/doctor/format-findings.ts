import { paint, type TerminalStream } from '../terminal/paint.js';
import { count, formatTable } from '../terminal/table.js';
import type { DoctorFinding } from './finding.js';

/** The findings as a table, the remedies below, and what it comes to. */
export function formatFindings(findings: readonly DoctorFinding[], stream: TerminalStream): string {
  const table = formatTable(findings.map(({ status, subject, detail }) => [status, subject, detail]));
  const remedies = findings.filter(({ remedy }) => remedy !== undefined).map(({ subject, remedy }) => `${subject}: ${remedy}`);
  const of = (status: DoctorFinding['status']): number => findings.filter((finding) => finding.status === status).length;
  const parts = [of('failed') > 0 ? `${of('failed')} failed` : '', of('warning') > 0 ? count(of('warning'), 'warning') : ''].filter(Boolean);
  const total = parts.length > 0 ? parts.join(', ') : paint('green', 'all is well', stream);
  return [table, ...(remedies.length > 0 ? ['', ...remedies.map((line) => `hint: ${line}`)] : []), '', total].join('\n');
}
