import { invalidArgument } from '@treadle/api';

/** Methods that change nothing, so that there is no condition to meet. */
const READS = ['GET', 'EVENTS'];

/** What of a route says whether it compares revisions. */
interface Compared {
  readonly method: string;
  /** Undefined: it sees to its arguments itself. */
  readonly takes?: readonly string[] | undefined;
}

/** Whether a route changes something only over a `revision`, which `If-Match` may give, too. */
export function comparesRevisions({ method, takes }: Compared): boolean {
  return !READS.includes(method) && takes?.includes('revision') === true;
}

/** A change that is to happen only under a condition does not happen without it. @throws AdminError 400 when a route would pass over `If-Match` */
export function refuseUncompared(ifMatch: string, route: Compared): void {
  if (ifMatch === '' || READS.includes(route.method) || route.takes === undefined || comparesRevisions(route)) return;
  throw invalidArgument('this route compares no revision, so If-Match cannot be met');
}
