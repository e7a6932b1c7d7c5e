import { configFlag, TreadleCommand } from '../../base-command.js';
import type { ListedPlugin } from '../../plugins/plugin-list.js';

/** `treadle plugins list`: the packages that bring classes and commands. */
export default class PluginsList extends TreadleCommand<{ readonly plugins: readonly ListedPlugin[] }> {
  static override summary = 'List the packages that bring classes and commands.';
  static override description = 'Those of "plugins:" of the configuration, packages that add commands, and what comes with the engine.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --json'];
  static override flags = configFlag;

  override async run(): Promise<{ readonly plugins: readonly ListedPlugin[] }> {
    const { flags } = await this.parse(PluginsList);
    const { locateApplication } = await import('../../application/application.js');
    const { glanceAtConfig } = await import('../../application/config-glance.js');
    const { installedClasses } = await import('../../modules/installed-classes.js');
    const { formatPlugins, listPlugins } = await import('../../plugins/plugin-list.js');
    const application = locateApplication(process.cwd(), flags.config);
    const { classes } = await installedClasses(flags);
    const { plugins: listed } = await glanceAtConfig(application);
    const plugins = listPlugins(application, classes, listed);
    this.log(formatPlugins(plugins, process.stdout.columns));
    return { plugins };
  }
}
