import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** What may be put before a list of addresses, each of them an address, a network such as `10.0.0.0/8`, or one of two words. */
export type TrustProxy = number | readonly string[];

const WORDS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7', 'fe80::/10'],
};
/** Entries of `x-forwarded-for` that are looked at, from the last one on: more proxies than anybody has. */
const MAX_HOPS = 32;

/** An entry of `trust_proxy` that is neither an address nor a network nor one of the words. */
export function faultyProxy(entries: readonly string[]): string | undefined {
  return entries.find((entry) => (WORDS[entry] ?? [entry]).some((each) => networkOf(each) === undefined));
}

/** Finds who has sent a request: the other end of its connection, or whom trusted proxies have named in `x-forwarded-for`. */
export class ClientAddress {
  private readonly trusted: BlockList | undefined;
  private readonly hops: number;

  constructor(trust: TrustProxy = 0) {
    this.hops = typeof trust === 'number' ? trust : MAX_HOPS;
    this.trusted = typeof trust === 'number' ? undefined : blockList(trust);
  }

  /** The address without zone or port, IPv4 in its own form; empty when the connection is gone. */
  of({ socket, headers }: IncomingMessage): string {
    const peer = plain(socket.remoteAddress ?? '');
    const forwarded = headers['x-forwarded-for'];
    if (this.hops === 0 || forwarded === undefined) return peer;
    return this.behind(peer, String(forwarded).split(',').slice(-MAX_HOPS).reverse());
  }

  /** Each trusted address is asked for the one before it; what is no address ends that. */
  private behind(peer: string, forwarded: readonly string[]): string {
    let address = peer;
    for (const entry of forwarded.slice(0, this.hops)) {
      if (!this.trusts(address)) return address;
      const before = plain(withoutPort(entry.trim()));
      if (isIP(before) === 0) return address;
      address = before;
    }
    return address;
  }

  private trusts(address: string): boolean {
    return this.trusted === undefined || this.trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
}

function blockList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const { address, bits, family } of entries.flatMap((entry) => WORDS[entry] ?? [entry]).flatMap((each) => networkOf(each) ?? [])) list.addSubnet(address, bits, family);
  return list;
}

function networkOf(text: string): { address: string; bits: number; family: 'ipv4' | 'ipv6' } | undefined {
  const [, address = '', given] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  const most = version === 6 ? 128 : 32;
  const bits = given === undefined ? most : Number(given);
  return version === 0 || bits > most ? undefined : { address, bits, family: version === 6 ? 'ipv6' : 'ipv4' };
}

/** `::ffff:1.2.3.4` is how a socket for both families names `1.2.3.4`. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

/** `1.2.3.4:5` and `[::1]:5` are how some proxies write it. */
function withoutPort(entry: string): string {
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(entry) ?? [];
  return bracketed ?? (/^[\d.]+:\d+$/.test(entry) ? entry.slice(0, entry.indexOf(':')) : entry);
}
