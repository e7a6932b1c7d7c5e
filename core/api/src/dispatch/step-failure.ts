import type { FailureCode, ValidationIssue } from '@treadle/protocol';

export type { FailureCode, ValidationIssue } from '@treadle/protocol';

/** Why `start` or `invoke` gave no result. */
export class StepFailure extends Error {
  readonly code: FailureCode;
  /** Of the handler's own error; never sent to HTTP clients. */
  readonly detail: StepFailureDetail;
  constructor(code: FailureCode, message: string, detail: StepFailureDetail = {}) {
    super(message);
    this.name = 'StepFailure';
    this.code = code;
    this.detail = detail;
  }
}

export interface StepFailureDetail {
  readonly errorName?: string;
  readonly stack?: string;
  readonly issues?: readonly ValidationIssue[];
  /** The handler threw `NonRetryableError`. */
  readonly nonRetryable?: boolean;
  /** The handler threw `RetryAfter`. */
  readonly retryAfterMs?: number;
  /** With `worker_lost`: the process ended, rather than being cut off or drained. */
  readonly workerDied?: boolean;
}
