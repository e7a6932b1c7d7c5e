import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { CodeView, PluginViews } from '@treadle/api';
import { type PageFile, pageFiles } from '../page/page-files.js';

/** The files of the folder in which a view's entry lies. */
export interface ViewFiles {
  /** Changes with them. */
  readonly digest: string;
  /** By their path in the folder, e.g. `/meter.js`. */
  readonly files: ReadonlyMap<string, PageFile>;
}

/** Of a view with code, as they are now. */
export async function viewFiles({ folder, version }: PluginViews, { entry }: CodeView): Promise<ViewFiles> {
  const files = await pageFiles(dirname(resolve(folder, entry)));
  const hash = createHash('sha256').update(version);
  for (const [path, { file }] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { size, mtimeMs } = await stat(file);
    hash.update(`\0${path}\0${size}\0${mtimeMs}`);
  }
  return { digest: hash.digest('hex').slice(0, 16), files };
}

/** Where the page finds the entry, below its base. */
export function entryPath({ manifest: { id } }: PluginViews, view: CodeView, digest: string): string {
  return `/x-assets/${id}/${view.id}/${digest}/${basename(view.entry)}`;
}
