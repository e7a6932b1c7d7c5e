/** Stands where a payload would. */
export const WITHHELD = '[withheld: your access shows no payloads]';

/** Whether a stand-in is somewhere in a value: nobody means it as a payload. */
export function holdsStandIn(value: unknown): boolean {
  return JSON.stringify(value ?? null).includes(WITHHELD);
}
