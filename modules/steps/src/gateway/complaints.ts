import type { Logger } from '@treadle/api';

/** Peers that are remembered; the log gets a line for each of them at most. */
const MAX_PEERS = 200;

/** Says once per peer what it did that the protocol does not know: one that comes again and again does not fill the log. */
export class Complaints {
  private readonly told = new Set<string>();

  constructor(private readonly log: Logger) {}

  /** @param peer its address, or what is known of its process */
  about(peer: string, fault: string): void {
    const key = `${peer} ${fault}`;
    if (this.told.has(key) || this.told.size >= MAX_PEERS) return;
    this.told.add(key);
    this.log.warn('a peer of the worker channel breaks its protocol', { peer, fault });
    if (this.told.size === MAX_PEERS) this.log.warn('further peers that break the protocol of the worker channel are not named', { peers: MAX_PEERS });
  }
}
