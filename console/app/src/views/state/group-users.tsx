import { useApi } from '../../api/use-api.js';
import { StepRef } from '../../parts/refs.js';
import css from './state.module.css';

const EVERY_MS = 15_000;

/** Steps that read and wrote a group, as far as spans are kept; nothing where none is known. */
export function GroupUsers({ group }: { readonly group: string }) {
  const items = useApi('GET /traces/activity', {}, { every: () => EVERY_MS }).data?.items ?? [];
  const touching = items.flatMap(({ step, stateGroups, stateWrites }) => {
    const [all, writes] = [own(stateGroups, group), own(stateWrites, group)];
    return all === 0 ? [] : [{ step, reads: all - writes, writes }];
  });
  if (touching.length === 0) return null;
  return (
    <div className={css.tools} title="By the spans that are kept">
      <Users words="written by" of={touching.map(({ step, writes }) => [step, writes])} /><Users words="read by" of={touching.map(({ step, reads }) => [step, reads])} />
    </div>
  );
}

function Users({ words, of }: { readonly words: string; readonly of: readonly (readonly [step: string, times: number])[] }) {
  const some = of.filter(([, times]) => times > 0).sort((a, b) => b[1] - a[1]);
  return <span className="row wrap"><span className="muted">{words}</span>{some.length === 0 ? <span className="muted">no Step</span> : some.map(([step, times]) => <span key={step} className="row"><StepRef step={step} /><span className="muted num">{times}×</span></span>)}</span>;
}

/** Groups may be called like members that every object has. */
function own(counts: Readonly<Record<string, number>>, group: string): number {
  return Object.hasOwn(counts, group) ? counts[group] ?? 0 : 0;
}
