import { treadleError, type TreadleError } from '@treadle/api';

/** Statuses that say that something is wrong with what was asked, rather than with the engine. */
const ASKED_WRONGLY: ReadonlySet<number> = new Set([400, 409, 413, 422]);

/** The error of a command whose request was refused. */
export function refusalOf(url: string, status: number, text: string): TreadleError {
  const { detail, code } = bodyOf(text);
  if (detail === undefined) return treadleError('ADMIN_UNREACHABLE', { url, reason: `something else answers there, with status ${status}` });
  if (status === 404 && code !== 'module_not_loaded') return treadleError('NOT_FOUND', { message: detail });
  if (ASKED_WRONGLY.has(status)) return treadleError('USAGE', { message: detail });
  const hint = hintFor(status, code);
  return treadleError('ADMIN_REFUSED', { url, reason: detail, ...hint === undefined ? {} : { hint } });
}

function hintFor(status: number, code: string | undefined): string | undefined {
  if (status === 401) return 'set ADMIN_TOKEN to the engine\'s token, or run the command as the engine\'s user';
  if (code === 'module_not_loaded') return 'add the module to the engine\'s configuration';
  if (code === 'host_refused') return 'use an address that the engine knows, or add this one to allowed_hosts';
  return undefined;
}

function bodyOf(text: string): { readonly detail?: string; readonly code?: string } {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'detail' in body && typeof body.detail === 'string') return body as { detail: string; code?: string };
  } catch {
    // Not the admin API's form.
  }
  return {};
}
