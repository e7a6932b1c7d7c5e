import { EXIT } from '@treadle/api';
import type { StoreCheck } from '@treadle/engine';
import { TreadleCommand } from '../../base-command.js';
import { storeFlags } from '../../store/store-flags.js';

/** What was found. */
interface StoresReport {
  /** False when a store is damaged. */
  readonly sound: boolean;
  readonly stores: readonly StoreCheck[];
}

/** `treadle store check`: whether the files of a stopped engine hold what it acknowledged. */
export default class StoreCheckCommand extends TreadleCommand<StoresReport> {
  static override summary = 'Find out whether the embedded stores hold what was acknowledged.';
  static override description = 'Reads database, log and mark without changing them, and has SQLite check a copy in the folder for temporary files. '
    + 'A store that an engine has is left to that engine. Exit codes: 0 sound, or in use; 74 damaged.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --data-dir /srv/app/data --json'];
  static override flags = storeFlags;

  override async run(): Promise<StoresReport> {
    const { flags } = await this.parse(StoreCheckCommand);
    const { locateApplication } = await import('../../application/application.js');
    const { loadEngine } = await import('../../application/engine-package.js');
    const { findStores } = await import('../../store/find-stores.js');
    const { formatCheck } = await import('../../store/format-store.js');
    const files = await findStores(flags);
    const { checkStore } = await loadEngine(locateApplication(process.cwd(), flags.config));
    const stores = files.map((file) => checkStore(file));
    for (const store of stores) this.log(formatCheck(store));
    const sound = stores.every(({ state }) => state !== 'damaged');
    if (!sound) process.exitCode = EXIT.io;
    return { sound, stores };
  }
}
