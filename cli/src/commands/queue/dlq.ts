import { Flags } from '@oclif/core';
import { treadleError } from '@treadle/api';
import type { AdminClient } from '../../admin/admin-client.js';
import { AdminCommand, adminFlags } from '../../admin/admin-command.js';
import { requireKnownStep } from '../../admin/known-step.js';
import type { DeadLetter, DeadLetterPage } from '../../queue/format-queue.js';
import { letterArgs, letterFlags, type LettersNotFound, notFoundLine, selectionBody, type WrittenSelection } from '../../queue/letter-selection.js';

interface Discarded extends LettersNotFound {
  readonly discarded: number;
}

/** `treadle queue dlq`: lists, shows or discards dead letters. */
export default class QueueDlq extends AdminCommand<DeadLetterPage | DeadLetter | Discarded> {
  static override summary = 'Show or discard dead letters.';
  static override description = 'Newest first. --id shows all of one; --discard removes what is selected for good.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> Notify --reason max_attempts',
    '<%= config.bin %> <%= command.id %> --id 17 --discard',
  ];
  static override args = letterArgs;
  static override flags = {
    ...adminFlags,
    ...letterFlags,
    discard: Flags.boolean({ summary: 'Remove what is selected for good.' }),
    limit: Flags.integer({ helpValue: '<n>', default: 50, min: 1, max: 1000, summary: 'Most to list.' }),
    cursor: Flags.string({ helpValue: '<cursor>', summary: 'Continue where an earlier page ended: its cursor.' }),
  };

  override async run(): Promise<DeadLetterPage | DeadLetter | Discarded> {
    const { args, flags } = await this.parse(QueueDlq);
    const selection = { ...flags, step: args.step };
    if (flags.discard) return this.discard(await this.client(flags), selection);
    const [id, ...more] = flags.id ?? [];
    if (more.length > 0) throw treadleError('USAGE', { message: 'one --id is shown at a time' });
    const client = await this.client(flags);
    return id === undefined ? this.list(client, { ...selection, limit: flags.limit, cursor: flags.cursor }) : this.show(client, id);
  }

  private async discard(client: AdminClient, selection: WrittenSelection): Promise<Discarded> {
    const { count } = await import('../../terminal/table.js');
    const result = await client.post<Discarded>(['queues', 'dead-letters', 'discard'], selectionBody(selection));
    this.say(`discarded ${count(result.discarded, 'dead letter')}${notFoundLine(result)}`);
    return result;
  }

  private async show(client: AdminClient, id: string): Promise<DeadLetter> {
    const { formatLetter } = await import('../../queue/format-queue.js');
    const letter = await client.get<DeadLetter>(['queues', 'dead-letters', id]);
    this.say(formatLetter(letter));
    return letter;
  }

  private async list(client: AdminClient, query: WrittenSelection & { readonly limit: number; readonly cursor: string | undefined }): Promise<DeadLetterPage> {
    const { formatLetters } = await import('../../queue/format-queue.js');
    const { step, topic, reason, limit, cursor } = query;
    const page = await client.get<DeadLetterPage>(['queues', 'dead-letters'], { step, topic, reason, limit, cursor });
    if (step !== undefined && page.items.length === 0) await requireKnownStep(client, step);
    this.say(formatLetters(page));
    return page;
  }
}
