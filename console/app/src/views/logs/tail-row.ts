import type { LogRecord } from '../../api/types.generated.js';

/** A line, or the mark of lines that are missing. */
export type TailRow = LogRecord | { readonly id: string; readonly missing: string };
