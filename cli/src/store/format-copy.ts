import type { CopiedSlot, CopyReport } from '@treadle/engine';
import { formatTable } from '../terminal/table.js';

/** What the rows of a kind are, by slot and kind. */
const WHAT: Readonly<Record<string, string>> = {
  'state.entry': 'values, and revisions of deleted keys', 'state.floor': 'revisions of forgotten keys', 'state.change': 'changes that wait for triggers',
  'queue.subscription': 'subscriptions', 'queue.delivery': 'messages, also unrouted ones', 'queue.letter': 'dead letters', 'queue.key': 'dedupe keys',
  'stream.group': 'groups', 'stream.item': 'items', 'stream.floor': 'revisions of forgotten groups', 'stream.change': 'changes that wait for triggers',
  'cron.schedule': 'triggers', 'cron.run': 'runs', 'cron.span': 'ticks without a record',
};

const OUTCOMES: Readonly<Record<CopiedSlot['outcome'], string>> = {
  copied: 'copied', complete: 'copied by an earlier run; only counted', same_store: 'the same store in both configurations: nothing to do', planned: 'nothing copied yet',
};

/** Both ends of each slot, how many rows of each kind they have, and what is not as it was. */
export function formatCopy({ slots, agrees }: CopyReport, dryRun: boolean): string {
  const lines = slots.map((slot) => formatSlot(slot, dryRun));
  if (dryRun) return [...lines, 'Nothing was copied: --dry-run.'].join('\n\n');
  return [...lines, agrees ? 'Everything is at the target.' : 'The target differs from the source: see "differs" above.'].join('\n\n');
}

function formatSlot({ slot, from, to, outcome, kinds, notes }: CopiedSlot, dryRun: boolean): string {
  const rows = kinds.map(({ kind, agrees, ...count }) => (
    ['', WHAT[`${slot}.${kind}`] ?? kind, String(count.from).padStart(9), String(count.to).padStart(9), agrees || dryRun ? '' : 'differs']));
  const head = ['', '', 'SOURCE'.padStart(9), 'TARGET'.padStart(9), ''];
  return [
    `${slot}: ${OUTCOMES[outcome]}`, `  from ${from}`, `  to   ${to}`,
    ...rows.length > 0 ? [formatTable([head, ...rows])] : [], ...notes.map((note) => `  note: ${note}`),
  ].join('\n');
}
