import type { JobSummary as Job } from '../api/types.generated.js';
import { Link } from '../url/link.js';
import { useSearch, withSearch } from '../url/location.js';
import { jobTitle } from './job-words.js';

/** Opens a job over the view that is shown. */
export function JobLink({ job, className }: { readonly job: Job; readonly className?: string }) {
  // The link is of the address as it is.
  useSearch();
  return <Link to={withSearch({ job: job.id })} className={className}>{jobTitle(job)}</Link>;
}
