/** What commands of plugins build on: `import { … } from '@treadle/cli/plugin-commands'`. */
export type { AdminClient, AdminPath, AdminQuery } from './admin/admin-client.js';
export { AdminCommand, adminFlags, watchFlag } from './admin/admin-command.js';
export { configFlag, TreadleCommand } from './base-command.js';
export { formatTable } from './terminal/table.js';
