import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A process that listens. */
export interface ListeningProcess {
  readonly pid: number;
  /** What the system calls it, e.g. `node`. */
  readonly name: string;
}

const LISTENS = '0A';

/** Who listens on a TCP port of this machine: on Linux, and as far as this user may see it; undefined otherwise. */
export function listeningProcess(port: number): ListeningProcess | undefined {
  try {
    const inodes = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listenersIn(table, port));
    return inodes.length === 0 ? undefined : ownerOf(new Set(inodes.map((inode) => `socket:[${inode}]`)));
  } catch {
    return undefined; // no /proc here
  }
}

/** Inodes of the sockets. Columns: number, local address, remote address, state, …, inode. */
function listenersIn(table: string, port: number): readonly string[] {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync(table, 'utf8').split('\n').map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state]) => local.endsWith(ending) && state === LISTENS)
    .flatMap((columns) => columns[9] ?? []);
}

function ownerOf(sockets: ReadonlySet<string>): ListeningProcess | undefined {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const pid = pids.find((candidate) => holds(candidate, sockets));
  return pid === undefined ? undefined : { pid: Number(pid), name: readFileSync(`/proc/${pid}/comm`, 'utf8').trim() };
}

function holds(pid: string, sockets: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((descriptor) => sockets.has(linkOf(`/proc/${pid}/fd/${descriptor}`)));
  } catch {
    return false; // of another user, or gone meanwhile
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // closed meanwhile
  }
}
