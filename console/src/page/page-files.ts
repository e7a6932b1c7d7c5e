import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

/** A file of the built page, and its compressed forms where the build made them. */
export interface PageFile {
  readonly type: string;
  /** Its name changes with its content. */
  readonly hashed: boolean;
  readonly plain: string;
  readonly br?: string;
  readonly gzip?: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.mjs': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml', '.png': 'image/png',
  '.ico': 'image/x-icon', '.json': 'application/json; charset=utf-8', '.woff2': 'font/woff2', '.map': 'application/json; charset=utf-8', '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

/**
 * The files of a built page by their path, e.g. `/assets/index-a1b2c3.js`; those that end in `.br` and `.gz` belong to the file without. Nothing else
 * is ever read. Empty when the folder is not there.
 */
export async function pageFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const paths = new Set(names.map((name) => `/${relative(folder, join(folder, name)).split(sep).join('/')}`));
  const files = new Map<string, PageFile>();
  for (const path of paths) {
    const type = TYPES[extname(path)];
    const plain = join(folder, path);
    if (type === undefined || !(await stat(plain)).isFile()) continue;
    files.set(path, {
      type, plain, hashed: path.startsWith('/assets/'),
      ...paths.has(`${path}.br`) && { br: `${plain}.br` }, ...paths.has(`${path}.gz`) && { gzip: `${plain}.gz` },
    });
  }
  return files;
}

/** The smallest form of a file that the client takes. */
export async function encoded({ plain, br, gzip }: PageFile, accepted: string): Promise<{ readonly bytes: Buffer; readonly encoding?: 'br' | 'gzip' }> {
  if (br !== undefined && /\bbr\b/.test(accepted)) return { bytes: await readFile(br), encoding: 'br' };
  if (gzip !== undefined && /\bgzip\b/.test(accepted)) return { bytes: await readFile(gzip), encoding: 'gzip' };
  return { bytes: await readFile(plain) };
}
