import { useMemo } from 'react';
import type { FileNode, FlowGraph, StepNode } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { Badge, Button } from '../../parts/controls.js';
import { FileRef, TopicRef } from '../../parts/refs.js';
import table from '../../parts/table.module.css';
import { VirtualTable } from '../../parts/virtual-table.js';
import { patchSearch } from '../../url/location.js';

const ROW = 41;
const COLUMNS = 7;

interface Props {
  readonly graph: Pick<FlowGraph, 'nodes' | 'edges'>;
  readonly selected: string;
  readonly onPick: (step: string) => void;
}

/** The graph as a table: for keyboards, screen readers and printers. */
export function Outline({ graph: { nodes, edges }, selected, onPick }: Props) {
  const rows = nodes.filter((node): node is StepNode | FileNode => node.kind === 'step' || node.kind === 'file');
  const topics = useMemo(() => topicsOf(edges), [edges]);
  return (
    <VirtualTable<StepNode | FileNode>
      items={rows} keyOf={({ id }) => id} label="Outline of the flow" rowHeight={ROW} current={rows.findIndex((node) => (node.kind === 'step' ? node.step : node.file) === selected)}
      head={<><th>Step</th><th>Starts by</th><th className={table.narrow}>Enqueues</th><th className={table.num}>Runs</th><th className={`${table.num} ${table.narrow}`}>p95</th><th className={table.num}>Failed</th><th className={table.narrow}>Code</th></>}
      render={(node) => (node.kind === 'file' ? <td colSpan={COLUMNS}><Button look="plain" onClick={() => patchSearch({ file: node.file, step: null, line: null })}>{node.title}</Button> <Badge tone="bad">does not load</Badge> <span className="muted">{node.diagnostics[0]?.message}</span></td> : (
        <>
          <td><Button look="plain" onClick={() => onPick(node.step)}>{node.title}</Button></td><td className="mono">{node.triggers.map(({ label }) => label).join(', ')}</td><td className={table.narrow}>{(topics.get(node.id) ?? []).map((topic) => <span key={topic}><TopicRef topic={topic} /> </span>)}</td>
          <td className={table.num}>{node.runs?.count ?? 0}</td><td className={`${table.num} ${table.narrow}`}>{node.runs ? duration(node.runs.p95Ms) : '–'}</td><td className={table.num}>{node.runs && node.runs.errors > 0 ? <Badge tone="bad">{node.runs.errors}</Badge> : 0}</td><td className={table.narrow}><FileRef file={node.file} line={node.line} /></td>
        </>
      ))}
    />
  );
}

/** Topics that each node enqueues to. */
function topicsOf(edges: FlowGraph['edges']): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { from, to, kind } of edges) {
    if (kind !== 'enqueues') continue;
    const topics = found.get(from) ?? [];
    topics.push(to.replace(/^topic:/, ''));
    found.set(from, topics);
  }
  return found;
}
