import { realpathSync } from 'node:fs';
import { HooksClient } from './loading/hooks-client.js';
import type { RootSettings } from './loading/hook-messages.js';

/**
 * From now on this process imports the files of an application as a Step process does: TypeScript as it stands, names without
 * endings, JSON. Files that Steps import as well are one instance. Node >= 18.19; before that nothing changes.
 */
export async function registerLoader(settings: RootSettings): Promise<void> {
  process.setSourceMapsEnabled(true);
  await HooksClient.open()?.addRoot({ ...settings, root: realpathSync(settings.root) });
}
