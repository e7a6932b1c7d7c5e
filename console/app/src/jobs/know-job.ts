import type { Job } from '../api/types.generated.js';
import { queryClient } from '../api/use-api.js';

/** Takes over how a job is from an answer that has it, so that nobody asks for it. */
export function knowJob(job: Job): void {
  queryClient.setQueryData(['GET /jobs/{id}', { id: job.id }], job);
}
