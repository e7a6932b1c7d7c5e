import { Flags } from '@oclif/core';
import { configFlag, TreadleCommand } from '../base-command.js';
import type { StartGraph } from '../graph/start-graph.js';
import type { StepGraph } from '../graph/step-graph.js';
import type { Planning } from '../application/plan.js';

/** `treadle graph`: in which order modules start, and which ports tie them together; with `--steps` which Steps start which. */
export default class Graph extends TreadleCommand<StartGraph | StepGraph> {
  static override summary = 'Show the start order of the modules and the ports between them, or the Steps and their topics.';
  static override description = 'Modules stop in the reverse order. Those that the file does not name are marked "added". With --steps the '
    + 'Step files are imported like "check" does, and faulty ones are left out and named on stderr, with exit code 65.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --mermaid > graph.mmd', '<%= config.bin %> <%= command.id %> --steps',
  ];
  static override flags = {
    ...configFlag,
    steps: Flags.boolean({ summary: 'Show the Steps instead of the modules.' }),
    mermaid: Flags.boolean({ summary: 'Print a Mermaid flowchart.', exclusive: ['json'] }),
  };

  override async run(): Promise<StartGraph | StepGraph> {
    const { flags } = await this.parse(Graph);
    const { planApplication, requirePlan } = await import('../application/plan.js');
    if (flags.steps) (await import('../application/presence.js')).requireApplication(flags.config);
    const planning = await planApplication(flags);
    requirePlan(planning);
    return flags.steps ? this.steps(planning, flags.mermaid) : this.modules(planning, flags.mermaid);
  }

  private async modules(planning: Planning, mermaid: boolean): Promise<StartGraph> {
    const { requirePlan } = await import('../application/plan.js');
    const { startGraph } = await import('../graph/start-graph.js');
    const { formatMermaid, formatTree } = await import('../graph/format-graph.js');
    const graph = startGraph(requirePlan(planning), planning.name);
    this.log(mermaid ? formatMermaid(graph) : formatTree(graph));
    return graph;
  }

  private async steps(planning: Planning, mermaid: boolean): Promise<StepGraph> {
    const { requirePlan } = await import('../application/plan.js');
    const { listSteps } = await import('../listing/listed-step.js');
    const { tellFaults } = await import('../listing/format-listing.js');
    const { formatStepMermaid, formatStepTree, stepGraph } = await import('../graph/step-graph.js');
    const { steps, faults, labelOf } = await listSteps(requirePlan(planning), planning.env);
    const graph = stepGraph(steps, labelOf);
    this.log(mermaid ? formatStepMermaid(graph) : formatStepTree(graph));
    process.exitCode = tellFaults(faults);
    return graph;
  }
}
