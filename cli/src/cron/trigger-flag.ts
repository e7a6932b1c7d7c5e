import { Flags } from '@oclif/core';

/** `--trigger`, for Steps with several cron triggers. */
export const triggerFlag = {
  trigger: Flags.string({ helpValue: '<trigger>', summary: 'Which of the Step\'s cron triggers, as "cron list" calls it.' }),
};
