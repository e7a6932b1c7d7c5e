import type { StepFailure } from '@treadle/api';

/** How the start of a handler ended, seen from its run. */
export type RunEnding =
  | { readonly kind: 'ended'; readonly status: 'succeeded' | 'failed'; readonly error?: string; readonly stack?: string | undefined }
  /** The handler's worker is gone: the run begins again. */
  | { readonly kind: 'cut'; readonly error: string }
  /** The handler did not begin: no worker had room for it. */
  | { readonly kind: 'unserved' }
  /** The engine is stopping. */
  | { readonly kind: 'stopped' };

/** Of the text of an error as JSON: a store may keep all runs of a trigger in one message. */
const MOST_ERROR_BYTES = 2_000;

export function endingOf(failure: StepFailure): RunEnding {
  switch (failure.code) {
    // A condition that is not met leaves nothing to do.
    case 'condition_not_met': return { kind: 'ended', status: 'succeeded' };
    case 'worker_lost': return { kind: 'cut', error: shortened(failure.message) };
    case 'no_worker': case 'overloaded': return { kind: 'unserved' };
    case 'draining': case 'cancelled': return { kind: 'stopped' };
    default: return { kind: 'ended', status: 'failed', error: textOf(failure), stack: failure.detail.stack };
  }
}

function textOf({ message, detail, code }: StepFailure): string {
  const name = detail.errorName === undefined ? code : detail.errorName;
  return shortened(`${name}: ${message}`);
}

/** The beginning of a text, in whole characters. */
function shortened(text: string): string {
  let [bytes, end] = [0, 0];
  for (const character of text) {
    bytes += Buffer.byteLength(JSON.stringify(character)) - 2;
    if (bytes > MOST_ERROR_BYTES) break;
    end += character.length;
  }
  return text.slice(0, end);
}
