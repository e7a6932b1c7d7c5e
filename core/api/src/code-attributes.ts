import type { Attributes } from './blocks/telemetry.js';
import type { StepRecord } from './step-record.js';

/** Where a Step is written, as spans say it: its file, and the line of its config. @source OpenTelemetry semantic conventions, code attributes */
export function codeAttributes({ file, line }: Pick<StepRecord, 'file' | 'line'>): Attributes {
  return { 'code.file.path': file, ...line !== undefined && { 'code.line.number': line } };
}
