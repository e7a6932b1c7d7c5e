import { Args } from '@oclif/core';
import { treadleError } from '@treadle/api';
import { TreadleCommand } from '../base-command.js';
import type { DocsPage } from '../docs/pages.js';

interface DocsTopics {
  readonly topics: readonly Pick<DocsPage, 'topic' | 'title'>[];
}

/** `treadle docs`: the documentation of this version, offline. */
export default class Docs extends TreadleCommand<DocsPage | DocsTopics> {
  static override summary = 'Print a page of the documentation, or what is known of an error code.';
  static override description = 'The pages are part of this package: nothing is fetched. Without a topic they are listed.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> queue | less', '<%= config.bin %> <%= command.id %> ADDRESS_IN_USE'];
  static override args = { topic: Args.string({ description: 'e.g. queue, http, deployment, or an error code' }) };

  override async run(): Promise<DocsPage | DocsTopics> {
    const { args } = await this.parse(Docs);
    const { docsPages, findPage } = await import('../docs/pages.js');
    const pages = await docsPages();
    if (args.topic === undefined) return this.list(pages);
    const page = findPage(pages, args.topic);
    if (!page) throw await unknown(args.topic, pages);
    this.log(page.text.trimEnd());
    return page;
  }

  private async list(pages: readonly DocsPage[]): Promise<DocsTopics> {
    const { formatTable } = await import('../terminal/table.js');
    const topics = pages.map(({ topic, title }) => ({ topic, title }));
    this.log(formatTable([['TOPIC', 'PAGE'], ...topics.map(({ topic, title }) => [topic, title])]));
    this.log('\n"treadle docs <topic>" prints one; begin with quick-start, or with tutorial.');
    return { topics };
  }
}

async function unknown(wanted: string, pages: readonly DocsPage[]): Promise<Error> {
  const { nearest } = await import('@treadle/config');
  const near = nearest(wanted, pages.map(({ topic }) => topic));
  return treadleError('USAGE', { message: `there is no page "${wanted}"`, hint: near === undefined ? '"treadle docs" lists them' : `did you mean "${near}"?` });
}
