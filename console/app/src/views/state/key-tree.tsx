import { useState } from 'react';
import type { StateBranch } from '../../api/types.generated.js';
import { usePages } from '../../api/use-api.js';
import { count, plural } from '../../format/numbers.js';
import { useCommands } from '../../keys/commands.js';
import { useRowKeys } from '../../keys/use-row-keys.js';
import { Button } from '../../parts/controls.js';
import { Empty, Failed, Loading } from '../../parts/data-state.js';
import viewCss from '../../parts/view.module.css';
import { VirtualList } from '../../parts/virtual-list.js';
import { useParam } from '../../url/location.js';
import { joinedBranches, meantBranch, prefixSteps } from './branches.js';
import { LookedAt } from '../../parts/looked-at.js';
import { openKey } from './open-key.js';
import css from './state.module.css';

const PAGE = 1_000;
const ROW = 30;

interface Props {
  readonly group: string;
  readonly current: string | undefined;
}

/** Keys of a group by what they begin with, level by level: `:`, `/` and `.` part them. The level stands in the address as `prefix`. */
export function KeyTree({ group, current }: Props) {
  const [prefix, setPrefix] = useParam('prefix');
  const steps = prefixSteps(prefix);
  const up = (): void => void (prefix !== '' && setPrefix(steps.at(-2)?.prefix ?? null));
  useCommands([{ title: 'Up to what keys begin with', keys: ['ArrowLeft'], run: up }]);
  return (
    <>
      <nav className={css.tools} aria-label="What the keys begin with">
        <Button look="plain" onClick={() => setPrefix(null)} disabled={prefix === ''}>{group}</Button>
        {steps.map((step) => <span key={step.prefix} className="row"><span className="muted" aria-hidden="true">›</span><Button look="plain" className="mono" onClick={() => setPrefix(step.prefix)} disabled={step.prefix === prefix}>{step.text}</Button></span>)}
      </nav>
      <Level key={prefix} group={group} prefix={prefix} current={current} onPrefix={setPrefix} />
    </>
  );
}

function Level({ group, prefix, current, onPrefix }: Props & { readonly prefix: string; readonly onPrefix: (prefix: string) => void }) {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = usePages('GET /state/groups/{group}/tree', { group, prefix, limit: PAGE });
  const branches = joinedBranches(data?.pages ?? []);
  const [moved, setMoved] = useState(-1);
  const at = meantBranch(branches, moved, current);
  const open = (index: number): void => {
    const branch = branches[index];
    setMoved(index);
    if (branch?.key !== undefined) openKey(group, branch.key, { replace: current !== undefined });
    else if (branch) onPrefix(branch.prefix);
  };
  const move = (to: number): void => {
    setMoved(to);
    if (current !== undefined && branches[to]?.key !== undefined) open(to);
  };
  useRowKeys(branches.length, at, { onMove: move, onOpen: open });
  useCommands(branches[at] ? [{ title: 'Into what keys begin with', keys: ['ArrowRight'], run: () => open(at) }] : []);
  if (data === undefined) return error ? <Failed what="keys" error={error} onRetry={() => void refetch()} /> : <Loading what="keys" />;
  if (isPending || branches.length === 0) return <Empty title={prefix === '' ? 'This group has no keys' : 'No key begins so any more'} />;
  const isPart = (index: number): boolean => hasNextPage && index === branches.length - 1;
  const more = (): void => void (hasNextPage && !isFetchingNextPage && fetchNextPage());
  return (
    <>
      <LookedAt examined={data.pages.reduce((sum, page) => sum + page.examined, 0)} found={plural(branches.length, 'branch', 'branches')} more={hasNextPage} busy={isFetchingNextPage} error={error} onMore={more} onAgain={() => void refetch()} />
      <VirtualList<StateBranch>
        items={branches} keyOf={({ prefix: begins }) => begins} rowHeight={ROW} label="What keys begin with" role="listbox" current={at}
        render={(branch, index) => (
          <div role="option" aria-selected={index === at} className={viewCss.rowButton} onClick={() => open(index)}>
            <span className={css.branch}><span aria-hidden="true">{branch.key === undefined ? '▸ ' : '· '}</span>{(branch.key ?? branch.prefix).slice(prefix.length) || branch.key}</span>
            <span className="muted num">{branch.key === undefined ? `${count(branch.keys)}${isPart(index) ? '+' : ''} keys` : 'key'}</span>
          </div>
        )}
      />
    </>
  );
}
