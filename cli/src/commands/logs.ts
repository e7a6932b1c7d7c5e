import { Flags } from '@oclif/core';
import { type LogLevel, treadleError } from '@treadle/api';
import type { AdminClient, AdminQuery } from '../admin/admin-client.js';
import { AdminCommand, adminFlags } from '../admin/admin-command.js';
import { requireKnownStep } from '../admin/known-step.js';
import type { LogListing, ShownLog } from '../telemetry/format-log.js';
import { observabilityPath } from '../telemetry/observability-path.js';

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** What `--export` wrote; a line stands for a record, or for those that the engine let go meanwhile. */
interface Exported {
  readonly file: string;
  readonly lines: number;
}

/** `treadle logs`: what the engine and its Steps have logged. */
export default class Logs extends AdminCommand<LogListing | Exported | undefined> {
  static override summary = 'Show what the engine and its Steps have logged.';
  static override description = 'The latest records, the oldest of them first; times are UTC. With --follow and --json each record is one JSON line.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --follow', '<%= config.bin %> <%= command.id %> --step Notify --level warn --since 10m',
    '<%= config.bin %> <%= command.id %> --trace 4bf92f3577b34da6a3ce929d0e0e4736', '<%= config.bin %> <%= command.id %> --level error --export errors.ndjson',
  ];

  static override flags = {
    ...adminFlags,
    follow: Flags.boolean({ char: 'f', summary: 'Go on with what is logged, until Ctrl-C.' }),
    export: Flags.string({ helpValue: '<file>', exclusive: ['follow', 'limit'], summary: 'Write all that match to a new file, or with "-" to stdout, as JSON lines.' }),
    step: Flags.string({ helpValue: '<name>', summary: 'Only of this Step.' }),
    level: Flags.option({ options: LEVELS })({ summary: 'Only this level and those above.' }),
    trace: Flags.string({ helpValue: '<id>', summary: 'Only of this trace; its first digits will do.' }),
    text: Flags.string({ helpValue: '<text>', summary: 'Only with this text in the message or a field.' }),
    since: Flags.string({ helpValue: '<time>', summary: 'Not before: 90s, 10m, 2h or 1d ago, or an ISO time.' }),
    limit: Flags.integer({ helpValue: '<n>', default: 100, min: 0, max: 5000, summary: 'Most records to begin with.' }),
  };

  override async run(): Promise<LogListing | Exported | undefined> {
    const { flags: { follow, export: file, step, level, trace, text, since, limit, ...choice } } = await this.parse(Logs);
    const { sinceTime } = await import('../telemetry/since.js');
    const { traceId } = await import('../telemetry/trace-id.js');
    const query = { step, level, traceId: trace === undefined ? undefined : traceId(trace), text, from: sinceTime(since, Date.now()) };
    const client = await this.client(choice);
    if (file !== undefined) return this.export(client, query, file);
    if (follow) return this.follow(client, { ...query, tail: limit });
    const { formatLogs } = await import('../telemetry/format-log.js');
    const found = await client.get<LogListing>(observabilityPath('logs'), { ...query, limit: Math.max(1, limit), order: 'desc' });
    // The engine's own lines have the empty name.
    if (step && found.items.length === 0) await requireKnownStep(client, step);
    const listing = { ...found, items: [...found.items].reverse() };
    this.say(formatLogs(listing, process.stdout));
    return listing;
  }

  private async export(client: AdminClient, query: AdminQuery, file: string): Promise<Exported | undefined> {
    const { exportText } = await import('../telemetry/export-log.js');
    const lines = await exportText(file, client.text(observabilityPath('logs', 'export'), query));
    if (file === '-') return undefined;
    const { count } = await import('../terminal/table.js');
    this.say(`${file}: ${count(lines, 'line')}`);
    return { file, lines };
  }

  private async follow(client: AdminClient, query: AdminQuery): Promise<undefined> {
    const { EventLines } = await import('../stream/event-lines.js');
    const { formatLog } = await import('../telemetry/format-log.js');
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
    const lines = new EventLines();
    const json = this.jsonEnabled();
    for await (const piece of client.text(observabilityPath('logs', 'follow'), query, stop.signal)) {
      for (const event of lines.take(piece)) process.stdout.write(`${json ? JSON.stringify(event) : formatLog(event as ShownLog, process.stdout)}\n`);
    }
    if (!stop.signal.aborted) throw treadleError('ADMIN_UNREACHABLE', { url: client.url, reason: 'the engine ended the log' });
    return undefined;
  }
}
