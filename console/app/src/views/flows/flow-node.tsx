import type { FileNode, StepNode } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { count, plural } from '../../format/numbers.js';
import { Badge, classes } from '../../parts/controls.js';
import type { DrawnNode, GroupNode } from './fold.js';
import css from './flows.module.css';

/** A node of the graph: what starts it, how often it ran, and how. */
export function FlowNodeCard({ node, selected, dim, lit }: { readonly node: DrawnNode; readonly selected: boolean; readonly dim: boolean; readonly lit: boolean }) {
  if (node.kind === 'file') return <FileCard node={node} selected={selected} dim={dim} />;
  if (node.kind === 'group') return <GroupCard node={node} dim={dim} lit={lit} />;
  if (node.kind !== 'step') return <div className={classes(css.node, css.small)} data-kind={node.kind} data-dim={dim} data-lit={lit}>{node.kind === 'state' ? '▤ ' : node.kind === 'stream' ? '⇄ ' : ''}{node.title}</div>;
  const broken = node.diagnostics.some(({ severity }) => severity === 'error');
  return (
    <div className={css.node} data-kind={node.triggers[0]?.type ?? 'http'} data-selected={selected} data-dim={dim} data-lit={lit} data-failed={broken || (node.runs?.errors ?? 0) > 0}>
      <strong title={node.title}>{node.title}</strong>
      <div className={`mono muted truncate ${css.facts}`}>{node.triggers.map(({ label }) => label).join(', ')}</div>
      <div className={css.facts}><Runs node={node} />{broken && <Badge tone="bad">does not load</Badge>}{node.workers === 0 && !broken && <Badge tone="warn">no worker</Badge>}</div>
    </div>
  );
}

function FileCard({ node: { title, file, diagnostics: [first] }, selected, dim }: { readonly node: FileNode; readonly selected: boolean; readonly dim: boolean }) {
  return (
    <div className={css.node} data-kind="file" data-selected={selected} data-dim={dim} data-failed>
      <strong title={file}>{title}</strong>
      <div className={`muted truncate ${css.facts}`} title={first?.message}>{first?.code}</div>
      <div className={css.facts}><Badge tone="bad">does not load</Badge></div>
    </div>
  );
}

function GroupCard({ node: { title, steps, runs, errors }, dim, lit }: { readonly node: GroupNode; readonly dim: boolean; readonly lit: boolean }) {
  return (
    <div className={css.node} data-kind="group" data-dim={dim} data-lit={lit} data-failed={errors > 0}>
      <strong title={title}>▣ {title}</strong>
      <div className={`muted ${css.facts}`}>{plural(steps, 'Step')}</div>
      <div className={css.facts}>{runs === 0 ? 'not run yet' : `${count(runs)} runs`}{errors > 0 && <Badge tone="bad">{count(errors)} failed</Badge>}</div>
    </div>
  );
}

function Runs({ node: { runs } }: { readonly node: StepNode }) {
  if (!runs) return <span>not run yet</span>;
  return <><span>{count(runs.count)} runs, p95 {duration(runs.p95Ms)}</span>{runs.errors > 0 && <Badge tone="bad">{count(runs.errors)} failed</Badge>}</>;
}
