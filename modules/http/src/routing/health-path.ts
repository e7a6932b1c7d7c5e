/** Where the engine tells how it is. No Step may take it, no limit refuses it. */
export const HEALTH_PATH = '/health';

/** Whether a request target asks for it. */
export function asksForHealth(url: string | undefined): boolean {
  return url === HEALTH_PATH || url?.startsWith(`${HEALTH_PATH}?`) === true;
}
