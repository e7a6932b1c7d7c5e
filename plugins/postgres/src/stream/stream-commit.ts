import { encodeKey, type StreamCommitWrite } from '@treadle/api';
import type { Queries } from '../store/connections.js';
import { type Job, type Outcome, type Planned, planOf } from './stream-plan.js';
import { groupText, type KnownItem } from './stream-rows.js';
import { groupedJobs, type StreamWriter } from './stream-writer.js';

const ENSURE = `INSERT INTO stream_groups (stream, grp) SELECT DISTINCT g.stream, g.grp FROM unnest($1::text[], $2::text[]) AS g (stream, grp)
  WHERE NOT EXISTS (SELECT 1 FROM stream_groups k WHERE k.stream = g.stream AND k.grp = g.grp) ORDER BY g.stream, g.grp ON CONFLICT DO NOTHING`;
/** Whoever writes to a group locks its row: its items stay as they are until the end of the transaction. */
const LOCK = `SELECT 1 FROM stream_groups g WHERE (g.stream, g.grp) IN (SELECT * FROM unnest($1::text[], $2::text[])) ORDER BY g.stream, g.grp FOR UPDATE`;

/** What came of it: an item that has another revision than it should, or who is to be called after the commit. */
export type ItemsWritten = { readonly failed: StreamCommitWrite } | { readonly failed?: undefined; tell(): Promise<void> };

/** Compares and writes items within a transaction. With one that failed nothing may be committed. */
export async function writeItems(within: Queries, writer: StreamWriter, writes: readonly StreamCommitWrite[]): Promise<ItemsWritten> {
  const groups = [writes.map(({ group }) => encodeKey(group.stream)), writes.map(({ group }) => encodeKey(group.groupId))];
  await within.rows(ENSURE, groups, 'stream.ensure');
  await within.rows(LOCK, groups, 'stream.lock');
  const found = await writer.known(writes.map(({ group: { stream, groupId }, id }) => ({ stream, groupId, id })), within);
  const failed = writes.find(({ ifRevision }, index) => ifRevision !== undefined && revisionOf(found[index]) !== ifRevision);
  if (failed) return { failed };
  const jobs = new Map(writes.map((write, index) => [jobOf(write), found[index] as KnownItem]));
  const outcomes = new Map<Job, Outcome>();
  const planned: readonly Planned[] = groupedJobs([...jobs.keys()]).flatMap((job) => planOf(job, jobs.get(job), outcomes) ?? []);
  if (planned.length === 0) return { tell: () => Promise.resolve() };
  const rows = await writer.writeRows(within, planned);
  const lost = planned.findIndex((_plan, index) => rows[index]?.ok !== true);
  if (lost >= 0) return { failed: writes.find((write) => keyOf(write) === planned[lost]?.job.key) as StreamCommitWrite };
  return { tell: () => writer.tell(planned, rows) };
}

const revisionOf = (item: KnownItem | undefined): number => (item && item.text !== null ? item.revision : 0);

const keyOf = ({ group, id }: StreamCommitWrite): string => `${groupText(group)} ${id}`;

function jobOf(write: StreamCommitWrite): Job {
  const { group, id, decision, change } = write;
  return { group, key: keyOf(write), write: { ...group, id, next: () => decision, change: () => change } };
}
