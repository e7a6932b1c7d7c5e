import { isPythonStep, roleOfFile } from '@treadle/worker/discover';
import { setupName } from '@treadle/worker/setup-name';
import type { DiagnoseReport } from './diagnose-report.js';
import type { Finding } from './finding.js';

/** Setups whose name another file of the same language has already: handlers read a setup by its name alone. */
export function duplicateSetups(reports: readonly DiagnoseReport[]): readonly { readonly report: DiagnoseReport; readonly finding: Finding }[] {
  const first = new Map<string, DiagnoseReport>();
  const setups = reports.filter(({ file, problem }) => roleOfFile(file) === 'setup' && !problem).sort((a, b) => (a.file < b.file ? -1 : 1));
  return setups.flatMap((report) => {
    const name = setupName(report.file);
    const key = JSON.stringify([report.application, isPythonStep(report.file), name]);
    const before = first.get(key);
    if (!before) first.set(key, report);
    return before ? [{ report, finding: { code: 'STEP_DUPLICATE_NAME', message: `the setup "${name}" is there twice, also in ${before.file}`, remedy: 'give one of the files another name' } }] : [];
  });
}
