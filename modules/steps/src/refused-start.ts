import { type Diagnostic, type TreadleError, treadleError } from '@treadle/api';

const REFUSING: Readonly<Record<string, readonly string[]>> = {
  production: ['STEP_ENV_INVALID', 'STEP_SECRET_MISSING'],
  development: ['STEP_ENV_INVALID'],
};

/** Why an engine must not serve an application, or undefined: variables that it declares are missing or wrong, or, in production, a guard has no secret. */
export function refusedStart(diagnostics: readonly Diagnostic[], mode: 'development' | 'production'): TreadleError | undefined {
  const found = diagnostics.filter(({ code }) => REFUSING[mode]?.includes(code));
  if (found.length === 0) return undefined;
  // Several files may import one that is at fault.
  const problems = new Set(found.map(({ file, line, message }) => `${file}${line === undefined ? '' : `:${line}`}  ${message}`));
  const refused = treadleError('ENVIRONMENT_INVALID', { problems: [...problems] });
  // It is the application's environment that is at fault: where the engine found that out would only hide it in the log.
  delete refused.stack;
  return refused;
}
