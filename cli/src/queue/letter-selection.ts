import { Args, Flags } from '@oclif/core';
import { treadleError } from '@treadle/api';

/** How `dlq` and `redrive` name dead letters. */
export const letterFlags = {
  topic: Flags.string({ helpValue: '<topic>', summary: 'Only those of this topic.' }),
  reason: Flags.string({
    helpValue: '<reason>', summary: 'Only those that were given up for this reason.',
    options: ['max_attempts', 'non_retryable', 'invalid_input', 'crash_limit', 'loop_limit', 'subscription_retired'],
  }),
  id: Flags.string({ helpValue: '<id>', multiple: true, multipleNonGreedy: true, exclusive: ['topic', 'reason', 'all'], summary: 'Exactly this one; may be repeated.' }),
  all: Flags.boolean({ summary: 'All dead letters of all Steps.' }),
};

/** The Step whose dead letters are meant. */
export const letterArgs = { step: Args.string({ description: 'Name of the Step whose dead letters are meant' }) };

/** What was written. */
export interface WrittenSelection {
  readonly step?: string | undefined;
  readonly topic?: string | undefined;
  readonly reason?: string | undefined;
  readonly id?: readonly string[] | undefined;
  readonly all?: boolean;
}

/** For routes that change something: everything only when that was said. @throws {USAGE} when nothing was */
export function selectionBody({ step, topic, reason, id, all = false }: WrittenSelection): Readonly<Record<string, unknown>> {
  const named = step !== undefined || topic !== undefined || reason !== undefined || id !== undefined;
  if (all && step !== undefined) throw treadleError('USAGE', { message: `--all is about all Steps, not "${step}" alone` });
  if (!named && !all) {
    throw treadleError('USAGE', { message: 'no dead letters are chosen', hint: 'name a Step, --id, --topic or --reason, or write --all' });
  }
  return { step, topic, reason, ids: id, ...all ? { all } : {} };
}

/** What of an answer to named ids people have to hear besides the number. */
export interface LettersNotFound {
  /** Ids of letters that are not there; of one alone the engine says so as an error. */
  readonly notFound?: readonly string[];
}

/** The line about them, with the line end before it; empty when all were there. */
export function notFoundLine({ notFound = [] }: LettersNotFound): string {
  return notFound.length === 0 ? '' : `\nnot found: ${notFound.join(', ')}`;
}
