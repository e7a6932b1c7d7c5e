import { Flags } from '@oclif/core';
import { configFlag } from '../base-command.js';

/** How commands that read the files of a store find them. */
export const storeFlags = {
  ...configFlag,
  'data-dir': Flags.string({ helpValue: '<folder>', summary: 'Folder of the stores; default: engine.data_dir of the configuration.' }),
  file: Flags.string({ helpValue: '<file>', summary: 'Path of the database.' }),
};
