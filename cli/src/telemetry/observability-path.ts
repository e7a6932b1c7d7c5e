import type { AdminPath } from '../admin/admin-client.js';

/** Where the admin API has what the observability module answers. */
export function observabilityPath(...below: string[]): AdminPath {
  return ['modules', 'modules::observability::OtelModule', ...below];
}
