import { Args } from '@oclif/core';
import { configFlag, TreadleCommand } from '../../base-command.js';
import type { ClassDescription } from '../../modules/class-description.js';

/** `treadle modules show <class>`: everything that is known of a class. */
export default class ModulesShow extends TreadleCommand<ClassDescription> {
  static override summary = 'Show the settings, ports, capabilities and telemetry of a class, with an example.';
  static override examples = ['<%= config.bin %> <%= command.id %> modules::http::HttpModule'];
  static override args = {
    class: Args.string({ required: true, description: 'Class ID or alias, e.g. modules::http::HttpModule' }),
  };
  static override flags = configFlag;

  override async run(): Promise<ClassDescription> {
    const { args, flags } = await this.parse(ModulesShow);
    const { installedClasses } = await import('../../modules/installed-classes.js');
    const { describeClass, findClass } = await import('../../modules/class-description.js');
    const { formatDescription } = await import('../../modules/format-description.js');
    const { classes } = await installedClasses(flags);
    const description = describeClass(findClass(args.class, classes), classes);
    if (!this.jsonEnabled()) this.log(formatDescription(description, process.stdout.columns));
    return description;
  }
}
