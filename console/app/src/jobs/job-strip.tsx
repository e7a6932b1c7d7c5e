import type { JobSummary as Job } from '../api/types.generated.js';
import { Badge } from '../parts/controls.js';
import css from '../watches/watches.module.css';
import { JobLink } from './job-link.js';
import { JobObjects } from './job-objects.js';
import { jobProgress, jobTone } from './job-words.js';

/** Jobs that run or wait for somebody's word, in sight whatever view is open. */
export default function JobStrip({ jobs }: { readonly jobs: readonly Job[] }) {
  return <ul className={css.strip} aria-label="Jobs that are not over">{jobs.map((job) => <li key={job.id} className={css.chip}><Badge tone={jobTone(job)}>{job.state}</Badge><JobLink job={job} /><span className="truncate muted">{jobProgress(job)}, <JobObjects job={job} /></span></li>)}</ul>;
}
