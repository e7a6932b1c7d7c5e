import { Flags } from '@oclif/core';
import { treadleError } from '@treadle/api';
import { AdminCommand, adminFlags } from '../../admin/admin-command.js';
import { requireKnownStep } from '../../admin/known-step.js';
import { letterArgs, letterFlags, type LettersNotFound, notFoundLine, selectionBody } from '../../queue/letter-selection.js';

interface Redriven extends LettersNotFound {
  readonly redriven: number;
}

const NONE_FITS = '"treadle queue dlq" lists the dead letters; those whose subscription is gone need --to-step';

/** `treadle queue redrive`: delivers dead letters again. */
export default class QueueRedrive extends AdminCommand<Redriven> {
  static override summary = 'Deliver dead letters again.';
  static override description = 'They keep message id and trace and begin with fresh attempts. Letters whose subscription is gone stay, unless --to-step names another Step.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> Notify',
    '<%= config.bin %> <%= command.id %> --id 17 --data \'{"to": "someone@example.com"}\'',
    '<%= config.bin %> <%= command.id %> OldName --reason subscription_retired --to-step NewName',
  ];
  static override args = letterArgs;
  static override flags = {
    ...adminFlags,
    ...letterFlags,
    'to-step': Flags.string({ helpValue: '<step>', summary: 'Deliver to this Step instead.' }),
    data: Flags.string({ helpValue: '<json>', dependsOn: ['id'], summary: 'Deliver this instead of the message\'s data; with one --id.' }),
  };

  override async run(): Promise<Redriven> {
    const { args, flags } = await this.parse(QueueRedrive);
    const { jsonOption } = await import('../../admin/json-argument.js');
    const { count } = await import('../../terminal/table.js');
    const data = jsonOption(flags.data, '--data');
    if (data !== undefined && flags.id?.length !== 1) throw treadleError('USAGE', { message: '--data is for exactly one --id' });
    const selection = selectionBody({ ...flags, step: args.step });
    const client = await this.client(flags);
    const result = await client.post<Redriven>(['queues', 'dead-letters', 'redrive'], { ...selection, toStep: flags['to-step'], data });
    if (result.redriven === 0 && args.step !== undefined) await requireKnownStep(client, args.step, NONE_FITS);
    this.say(`redriven: ${count(result.redriven, 'message')}${notFoundLine(result)}${result.redriven === 0 ? `\n${NONE_FITS}` : ''}`);
    return result;
  }
}
