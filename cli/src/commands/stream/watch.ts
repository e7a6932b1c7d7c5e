import { Args } from '@oclif/core';
import { treadleError } from '@treadle/api';
import { AdminCommand, adminFlags } from '../../admin/admin-command.js';

/** `treadle stream watch`: prints what happens in a stream until Ctrl-C. */
export default class StreamWatch extends AdminCommand<void> {
  static override summary = 'Print what happens in a stream, until Ctrl-C.';
  static override description = 'One line for each event; with --json each is one JSON line.';
  static override examples = ['<%= config.bin %> <%= command.id %> tickets', '<%= config.bin %> <%= command.id %> tickets open --json'];
  static override args = {
    stream: Args.string({ required: true, description: 'Name of the stream' }), group: Args.string({ description: 'Only this group' }),
  };
  static override flags = adminFlags;

  override async run(): Promise<void> {
    const { args: { stream, group }, flags } = await this.parse(StreamWatch);
    const client = await this.client(flags);
    const { EventLines } = await import('../../stream/event-lines.js');
    const { formatEvent } = await import('../../stream/format-event.js');
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
    const lines = new EventLines();
    const print = (event: unknown): void => void process.stdout.write(`${this.jsonEnabled() ? JSON.stringify(event) : formatEvent(event)}\n`);
    for await (const piece of client.text(['streams', 'watch'], { stream, group }, stop.signal)) {
      for (const event of lines.take(piece)) print(event);
    }
    if (!stop.signal.aborted) throw treadleError('ADMIN_UNREACHABLE', { url: client.url, reason: 'the engine ended the events' });
  }
}
