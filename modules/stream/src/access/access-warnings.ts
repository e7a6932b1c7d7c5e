import { isLoopback, type Logger } from '@treadle/api';
import type { StreamConfig } from '../stream.config.js';
import type { Declarations } from './declarations.js';

/** Says which streams nobody decides about where other machines reach them; of each once, until it is asked anew. */
export class AccessWarnings {
  private readonly told = new Set<string>();
  private isDue = false;

  constructor(
    private readonly declarations: Declarations,
    private readonly settings: { readonly now: Pick<StreamConfig, 'host' | 'auth'> },
    private readonly log: Logger,
  ) {}

  /** Soon: the streams of a catalog and who authenticates their clients come in one turn. */
  readonly lookSoon = (): void => {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => this.look());
  };

  look(): void {
    this.isDue = false;
    const { host, auth } = this.settings.now;
    if (isLoopback(host) || (auth !== 'none' && this.declarations.authentication)) return;
    const open = this.declarations.all().filter(({ name, canAccess }) => !canAccess && !this.told.has(name)).map(({ name }) => name);
    if (open.length === 0) return;
    for (const name of open) this.told.add(name);
    const streams = open.join(', ');
    if (auth === 'none') this.log.warn('streams without canAccess are open to everyone who reaches this address', { streams, host });
    else this.log.warn('streams that have neither authenticate nor canAccess refuse all joins on this address', { streams, host, remedy: 'declare one, or set auth: none' });
  }
}
