import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CLI_ROOT } from '../version.js';

/** A page of the documentation. */
export interface DocsPage {
  /** e.g. `queue`. */
  readonly topic: string;
  /** Its first heading. */
  readonly title: string;
  /** Markdown. */
  readonly text: string;
}

const FOLDER = join(CLI_ROOT, 'dist', 'docs-pages');
const ERRORS = 'errors';
/** A page of links, for readers of the repository; not a topic. */
const INDEX = 'README.md';

/** All pages, in the order in which the index links to them. */
export async function docsPages(): Promise<readonly DocsPage[]> {
  const index = await readFile(join(FOLDER, INDEX), 'utf8');
  const place = (file: string): number => (index.includes(`](${file})`) ? index.indexOf(`](${file})`) : Infinity);
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.md') && file !== INDEX).sort()
    .sort((one, other) => (place(one) === place(other) ? 0 : place(one) - place(other)));
  return Promise.all(files.map(async (file) => {
    const text = (await readFile(join(FOLDER, file), 'utf8')).replace(/^<!--.*-->\n/, '');
    return { topic: file.slice(0, -'.md'.length), title: /^# (.+)$/m.exec(text)?.[1] ?? file, text };
  }));
}

/** The page of a topic, or the paragraph of an error code, whatever the case; undefined when there is none. */
export function findPage(pages: readonly DocsPage[], wanted: string): DocsPage | undefined {
  const name = wanted.toLowerCase().replace(/\.md$/, '').replaceAll(' ', '-');
  return pages.find(({ topic, title }) => topic === name || title.toLowerCase() === wanted.toLowerCase()) ?? errorEntry(pages, wanted.toUpperCase());
}

function errorEntry(pages: readonly DocsPage[], code: string): DocsPage | undefined {
  const { text = '' } = pages.find(({ topic }) => topic === ERRORS) ?? {};
  const section = text.split(/^(?=#{2,3} )/m).find((part) => part.startsWith(`### ${code}\n`));
  return section === undefined ? undefined : { topic: code, title: code, text: section };
}
