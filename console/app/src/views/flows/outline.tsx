import type { FlowGraph, StepNode } from '../../../../src/contract/index.js';
import { duration } from '../../format/duration.js';
import { Badge, Button } from '../../parts/controls.js';
import { FileRef, TopicRef } from '../../parts/refs.js';
import table from '../../parts/table.module.css';

interface Props {
  readonly graph: Pick<FlowGraph, 'nodes' | 'edges'>;
  readonly selected: string;
  readonly onPick: (step: string) => void;
}

/** The graph as a table: for keyboards, screen readers and printers. */
export function Outline({ graph: { nodes, edges }, selected, onPick }: Props) {
  const steps = nodes.filter((node): node is StepNode => node.kind === 'step');
  const topics = (id: string): readonly string[] => edges.filter(({ from, kind }) => from === id && kind === 'enqueues').map(({ to }) => to.replace(/^topic:/, ''));
  return (
    <div className={table.scroll} tabIndex={0} role="region" aria-label="Outline of the flow">
      <table className={table.table}>
        <thead><tr><th>Step</th><th>Starts by</th><th className={table.narrow}>Enqueues</th><th className={table.num}>Runs</th><th className={`${table.num} ${table.narrow}`}>p95</th><th className={table.num}>Failed</th><th className={table.narrow}>Code</th></tr></thead>
        <tbody>{steps.map((node) => (
          <tr key={node.id} data-current={node.step === selected}>
            <td><Button look="plain" onClick={() => onPick(node.step)}>{node.title}</Button></td><td className="mono">{node.triggers.map(({ label }) => label).join(', ')}</td><td className={table.narrow}>{topics(node.id).map((topic) => <span key={topic}><TopicRef topic={topic} /> </span>)}</td>
            <td className={table.num}>{node.runs?.count ?? 0}</td><td className={`${table.num} ${table.narrow}`}>{node.runs ? duration(node.runs.p95Ms) : '–'}</td><td className={table.num}>{node.runs && node.runs.errors > 0 ? <Badge tone="bad">{node.runs.errors}</Badge> : 0}</td><td className={table.narrow}><FileRef file={node.file} line={node.line} /></td>
          </tr>
        ))}</tbody>
      </table>
    </div>
  );
}
