import { Flags } from '@oclif/core';
import { configFlag, TreadleCommand } from '../../base-command.js';
import type { ClassListing } from '../../modules/class-list.js';

/** `treadle modules list`: the classes that a configuration may name. */
export default class ModulesList extends TreadleCommand<ClassListing> {
  static override summary = 'List the classes that a configuration may name.';
  static override description = 'Modules and adapters of the engine and of the plugins that the configuration lists. '
    + 'With --config those in use are marked with *.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --config config.yaml'];
  static override flags = {
    ...configFlag,
    all: Flags.boolean({ summary: 'Also list deprecated and unmaintained classes.' }),
  };

  override async run(): Promise<ClassListing> {
    const { flags } = await this.parse(ModulesList);
    const { installedClasses } = await import('../../modules/installed-classes.js');
    const { formatClassListing, listClasses } = await import('../../modules/class-list.js');
    const { classes, plan } = await installedClasses(flags);
    const listing = listClasses(classes, { plan, all: flags.all || this.jsonEnabled() });
    if (!this.jsonEnabled()) this.log(formatClassListing(listing, { markUse: flags.config !== undefined }));
    return listing;
  }
}
