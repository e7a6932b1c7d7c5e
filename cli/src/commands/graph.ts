import { Flags } from '@oclif/core';
import { configFlag, noInstallFlag, TreadleCommand } from '../base-command.js';
import type { StartGraph } from '../graph/start-graph.js';

/** `treadle graph`: in which order modules start, and which ports tie them together. */
export default class Graph extends TreadleCommand<StartGraph> {
  static override summary = 'Show the start order of the modules and the ports between them.';
  static override description = 'Modules stop in the reverse order. Those that the file does not name are marked "added".';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --mermaid > graph.mmd'];
  static override flags = {
    ...configFlag,
    ...noInstallFlag,
    mermaid: Flags.boolean({ summary: 'Print a Mermaid flowchart.', exclusive: ['json'] }),
  };

  override async run(): Promise<StartGraph> {
    const { flags } = await this.parse(Graph);
    const { planApplication, requirePlan } = await import('../application/plan.js');
    const { startGraph } = await import('../graph/start-graph.js');
    const { formatMermaid, formatTree } = await import('../graph/format-graph.js');
    const planning = await planApplication(flags);
    const graph = startGraph(requirePlan(planning), planning.name);
    this.log(flags.mermaid ? formatMermaid(graph) : formatTree(graph));
    return graph;
  }
}
