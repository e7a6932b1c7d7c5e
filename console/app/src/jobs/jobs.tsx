import { useSnapshot } from '../live/use-snapshot.js';
import { lazily } from '../parts/lazily.js';
import { useParam } from '../url/location.js';

const JobStrip = lazily(() => import('./job-strip.js'));
const JobDialog = lazily(() => import('./job-dialog.js'));

/** Bulk actions of all views: those that are not over, and the one of the address. */
export function Jobs() {
  const [job] = useParam('job');
  const open = useSnapshot('GET /jobs').data?.items.filter(({ endedAt }) => endedAt === undefined) ?? [];
  return <>{open.length > 0 && <JobStrip jobs={open} />}{job !== '' && <JobDialog key={job} id={job} />}</>;
}
