import { Args, Flags } from '@oclif/core';
import { treadleError } from '@treadle/api';
import type { AdminClient } from '../admin/admin-client.js';
import { AdminCommand, adminFlags } from '../admin/admin-command.js';
import { requireKnownStep } from '../admin/known-step.js';
import type { ShownTrace } from '../telemetry/format-trace.js';
import type { TraceListing } from '../telemetry/format-traces.js';
import { observabilityPath } from '../telemetry/observability-path.js';

const MAX_SPANS = 20_000;

/** What `--capture` wrote. */
interface Captured {
  readonly file: string;
}

/** `treadle traces`: what requests, messages and cron jobs led to. */
export default class Traces extends AdminCommand<TraceListing | ShownTrace | Captured | undefined> {
  static override summary = 'Show what requests, messages and cron jobs led to.';
  static override description = 'Without an id, or with "list": the latest traces. With an id: its spans as a tree, with waits and the critical path (*).';
  static override examples = [
    '<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> list --step Notify --status error',
    '<%= config.bin %> <%= command.id %> 4bf92f3577b34da6a3ce929d0e0e4736', '<%= config.bin %> <%= command.id %> 4bf92f35 --capture order.capture.json',
  ];

  static override args = { id: Args.string({ description: 'Id of a trace or its first digits, or "list"' }) };

  static override flags = {
    ...adminFlags,
    step: Flags.string({ helpValue: '<name>', summary: 'Only with a span of this Step.' }),
    route: Flags.string({ helpValue: '<pattern>', summary: 'Only with this route, e.g. /orders/:id.' }),
    status: Flags.option({ options: ['ok', 'error'] as const })({ summary: 'Only with an error, or only without.' }),
    text: Flags.string({ helpValue: '<text>', summary: 'Only with this text in a name, an attribute or an error.' }),
    'min-ms': Flags.string({ helpValue: '<n>', summary: 'Only what took at least this long until its last effect.' }),
    since: Flags.string({ helpValue: '<time>', summary: 'Begun not before: 90s, 10m, 2h or 1d ago, or an ISO time.' }),
    capture: Flags.string({ helpValue: '<file>', summary: 'With an id: write the trace with its logs, inputs and Steps to a new file, or with "-" to stdout; any console opens it.' }),
    limit: Flags.integer({ helpValue: '<n>', default: 20, min: 1, max: 500, summary: 'Most traces to show.' }),
    cursor: Flags.string({ helpValue: '<cursor>', summary: 'Continue where an earlier page ended: its cursor.' }),
  };

  override async run(): Promise<TraceListing | ShownTrace | Captured | undefined> {
    const { args: { id }, flags } = await this.parse(Traces);
    const { url, config, 'min-ms': minDurationMs, since, capture, json: _json, ...rest } = flags as typeof flags & { readonly json?: boolean };
    if (capture !== undefined && (id === undefined || id === 'list')) throw treadleError('USAGE', { message: '--capture needs the id of a trace', hint: '"treadle traces" shows them' });
    const client = await this.client({ url, config });
    if (id !== undefined && capture !== undefined) return this.capture(client, id, capture);
    if (id !== undefined && id !== 'list') return this.one(id, (path) => client.get<ShownTrace>(path, { limit: MAX_SPANS }));
    const { sinceTime } = await import('../telemetry/since.js');
    const { formatTraces } = await import('../telemetry/format-traces.js');
    const listing = await client.get<TraceListing>(observabilityPath('traces'), { ...rest, minDurationMs, from: sinceTime(since, Date.now()) });
    if (rest.step !== undefined && listing.items.length === 0) await requireKnownStep(client, rest.step);
    this.say(formatTraces(listing, process.stdout));
    return listing;
  }

  private async one(id: string, get: (path: readonly string[]) => Promise<ShownTrace>): Promise<ShownTrace> {
    const { traceId } = await import('../telemetry/trace-id.js');
    const path = observabilityPath('traces', traceId(id));
    const { formatTrace } = await import('../telemetry/format-trace.js');
    const trace = await get(path);
    this.say(formatTrace(trace, process.stdout));
    return trace;
  }

  private async capture(client: AdminClient, id: string, file: string): Promise<Captured | undefined> {
    const { traceId } = await import('../telemetry/trace-id.js');
    const { exportText } = await import('../telemetry/export-log.js');
    await exportText(file, client.text(['traces', traceId(id), 'capture'], {}));
    if (file === '-') return undefined;
    this.say(`${file}: open it in a console, at Traces`);
    return { file };
  }
}
