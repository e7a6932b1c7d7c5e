import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { treadleError, type TreadleError } from '@treadle/api';
import type { Outcome } from './located.js';

/** Largest configuration file. */
export const MAX_CONFIG_BYTES = 1_000_000;

/**
 * Stage 1: the file's text, or undefined with CONFIG_NOT_FOUND, CONFIG_NOT_READABLE or CONFIG_TOO_LARGE.
 * `shownAs` is the name that errors use. Text that is not UTF-8 is refused.
 */
export function readConfig(file: string, shownAs: string): Outcome<string | undefined> {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) return refused(notReadable(shownAs, 'it is a folder'));
    if (stats.size > MAX_CONFIG_BYTES) return refused(tooLarge(shownAs, stats.size));
    const bytes = readFileSync(descriptor);
    // A pipe or a file in /proc says 0 beforehand.
    if (bytes.length > MAX_CONFIG_BYTES) return refused(tooLarge(shownAs, bytes.length));
    return { value: new TextDecoder('utf-8', { fatal: true }).decode(bytes), issues: [] };
  } catch (error) {
    return refused(readFailure(shownAs, error));
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function refused(issue: TreadleError): Outcome<undefined> {
  return { value: undefined, issues: [issue] };
}

function tooLarge(file: string, bytes: number): TreadleError {
  return treadleError('CONFIG_TOO_LARGE', { file, bytes, maxBytes: MAX_CONFIG_BYTES }, { at: { file } });
}

function notReadable(file: string, reason: string, cause?: unknown): TreadleError {
  return treadleError('CONFIG_NOT_READABLE', { file, reason }, { at: { file }, cause });
}

function readFailure(file: string, error: unknown): TreadleError {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return treadleError('CONFIG_NOT_FOUND', { file }, { at: { file }, cause: error });
  }
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return notReadable(file, 'it is not UTF-8 text', error);
  if (code === 'EACCES' || code === 'EPERM') return notReadable(file, 'permission denied', error);
  return notReadable(file, code ?? (error as Error).message, error);
}
