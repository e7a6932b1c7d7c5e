import type { JobSummary as Job } from '../api/types.generated.js';
import { TopicRef } from '../parts/refs.js';
import { Link } from '../url/link.js';
import { paths } from '../url/paths.js';

/** What a job is for, with the way there. */
export function JobObjects({ job: { kind, topic, group } }: { readonly job: Job }) {
  if (kind === 'state-keys') return <>keys of <Link to={paths.stateGroup(group ?? '')} className="mono">{group}</Link></>;
  return topic === undefined ? 'dead letters' : <>dead letters of <TopicRef topic={topic} tab="dead" /></>;
}
