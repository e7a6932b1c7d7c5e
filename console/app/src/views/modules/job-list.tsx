import type { JobSummary as Job } from '../../api/types.generated.js';
import { JobLink } from '../../jobs/job-link.js';
import { JobObjects } from '../../jobs/job-objects.js';
import { jobProgress, jobTone } from '../../jobs/job-words.js';
import { useSnapshot } from '../../live/use-snapshot.js';
import { Badge } from '../../parts/controls.js';
import { Answer, Empty } from '../../parts/data-state.js';
import table from '../../parts/table.module.css';
import { Time } from '../../parts/time.js';

/** Bulk actions since the engine started, the latest first. */
export function JobList() {
  const answer = useSnapshot('GET /jobs');
  return (
    <Answer of={answer} what="jobs">
      {({ items }) => (items.length === 0 ? <Empty title="No jobs"><p>Dead letters that are redriven or discarded together, and keys that are deleted together, are a job. The last 100 are known until the engine ends.</p></Empty> : <Rows items={items} />)}
    </Answer>
  );
}

function Rows({ items }: { readonly items: readonly Job[] }) {
  return (
    <div style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label="Jobs">
      <table className={table.table}>
        <thead><tr><th>Began</th><th>Who</th><th>What</th><th>Of</th><th>State</th><th>How far</th></tr></thead>
        <tbody>{items.map((job) => <tr key={job.id}><td><Time at={job.startedAt} /></td><td>{job.who}</td><td><JobLink job={job} /></td><td><JobObjects job={job} /></td><td><Badge tone={jobTone(job)}>{job.state}</Badge></td><td>{jobProgress(job)}</td></tr>)}</tbody>
      </table>
    </div>
  );
}
