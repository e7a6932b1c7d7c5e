import { EXIT, type Diagnostic } from '@treadle/api';
import { condense, formatDiagnostic } from '@treadle/module-steps';
import { formatTable } from '../terminal/table.js';
import type { ListedRoute, ListedSetup, ListedStep } from './listed-step.js';

export function formatSteps(steps: readonly ListedStep[]): string {
  if (steps.length === 0) return 'no Steps in steps/ and src/.';
  const rows = steps.flatMap(({ step, triggers, enqueues, file }) => {
    const [first = '-', ...more] = triggers;
    return [[step, first, enqueues.join(', ') || '-', file], ...more.map((trigger) => ['', trigger, '', ''])];
  });
  return formatTable([['STEP', 'STARTED BY', 'ENQUEUES', 'FILE'], ...rows]);
}

export function formatSetups(setups: readonly ListedSetup[]): string {
  return formatTable([['SETUP', 'FILE'], ...setups.map(({ setup, file }) => [setup, file])]);
}

export function formatRoutes(routes: readonly ListedRoute[]): string {
  if (routes.length === 0) return 'no Step has an http trigger.';
  const isGuarded = routes.some(({ middleware }) => middleware.length > 0);
  const rows = routes.map(({ method, path, step, file, middleware }) => [method, path, step, file, ...(isGuarded ? [middleware.join(', ') || '-'] : [])]);
  return formatTable([['METHOD', 'PATH', 'STEP', 'FILE', ...(isGuarded ? ['BEHIND'] : [])], ...rows]);
}

/** Tells on stderr which Steps are left out, in the one form of errors, and gives the exit code. */
export function tellFaults(faults: readonly Diagnostic[]): number {
  if (faults.length === 0) return 0;
  process.stderr.write(`${condense(faults).map(formatDiagnostic).join('\n')}\n`);
  return EXIT.application;
}
