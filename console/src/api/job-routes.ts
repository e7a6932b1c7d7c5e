import type { Job } from '../contract/index.js';
import type { OwnRequest, OwnRoute } from './own-route.js';
import type { Surroundings } from './surroundings.js';

const SELECTION = ['kind', 'step', 'topic', 'reason', 'fingerprint', 'q', 'ids', 'group', 'prefix', 'keys'];
const JOB = ['selection', 'count', 'action', 'perSecond', 'canary', 'data'];
const SUMMARIES = { pause: 'Does nothing more of a job for now', resume: 'Goes on with a job', cancel: 'Leaves the rest of a job as it is' };

/** Routes of bulk actions. */
export const JOB_ROUTES: readonly OwnRoute[] = [
  { method: 'POST', path: '/selections', takes: SELECTION, summary: 'Freezes which dead letters or keys a job is for', answer: ({ selections }, { body }) => selections.add(body) },
  { method: 'POST', path: '/jobs', takes: JOB, summary: 'Begins an action over a selection', answer: startJob },
  { method: 'GET', path: '/jobs', takes: [], summary: 'Jobs, the latest first', answer: ({ jobs }) => ({ items: jobs.list() }) },
  { method: 'GET', path: '/jobs/:id', takes: [], summary: 'How far a job is', answer: ({ jobs }, { params }) => jobs.get(params['id'] ?? '').shown },
  ...(['pause', 'resume', 'cancel'] as const).map((verb): OwnRoute => ({
    method: 'POST', path: `/jobs/:id/${verb}`, takes: [], summary: SUMMARIES[verb], answer: ({ jobs }, { params }): Job => {
      const job = jobs.get(params['id'] ?? '');
      job[verb]();
      return job.shown;
    },
  })),
];

function startJob({ jobs }: Surroundings, { caller, incoming, body, note }: OwnRequest): Job {
  const { job, hash } = jobs.start({ caller, remote: incoming.socket.remoteAddress ?? '', body });
  note({ selection: hash });
  return job;
}
