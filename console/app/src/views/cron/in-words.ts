import cronstrue from 'cronstrue';

/** A cron expression in plain words. */
export function inWords(expression: string): string {
  try {
    return cronstrue.toString(expression, { use24HourTimeFormat: true });
  } catch {
    return 'an expression of the engine\'s own'; // e.g. forms that the library does not know
  }
}
