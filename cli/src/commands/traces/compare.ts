import { Args, Flags } from '@oclif/core';
import { AdminCommand, adminFlags } from '../../admin/admin-command.js';
import type { ShownComparison } from '../../telemetry/format-comparison.js';
import { observabilityPath } from '../../telemetry/observability-path.js';
import { traceId } from '../../telemetry/trace-id.js';

/** `treadle traces compare`: two traces side by side. */
export default class TracesCompare extends AdminCommand<ShownComparison> {
  static override summary = 'Show two traces side by side.';
  static override description = 'Spans are the same when those above them are, and their name, Step and occurrence. "-" marks what only the first trace has, "+" what only the second has, "!" what went differently.';
  static override examples = ['<%= config.bin %> <%= command.id %> 4bf92f3577b34da6a3ce929d0e0e4736 0af7651916cd43dd8448eb211c80319c'];
  static override args = {
    a: Args.string({ required: true, description: 'Id of a trace, or its first digits' }), b: Args.string({ required: true, description: 'Id of the trace to compare it with' }),
  };
  static override flags = {
    ...adminFlags, limit: Flags.integer({ helpValue: '<n>', default: 5000, min: 1, max: 20_000, summary: 'Most spans to show.' }),
  };

  override async run(): Promise<ShownComparison> {
    const { args, flags: { limit, ...choice } } = await this.parse(TracesCompare);
    const [a, b] = [traceId(args.a), traceId(args.b)];
    const client = await this.client(choice);
    const { formatComparison } = await import('../../telemetry/format-comparison.js');
    const comparison = await client.get<ShownComparison>(observabilityPath('traces', 'compare'), { a, b, limit });
    this.say(formatComparison(comparison, process.stdout));
    return comparison;
  }
}
