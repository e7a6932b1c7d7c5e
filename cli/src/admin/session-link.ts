import { canOpen, openInBrowser } from '../terminal/open-browser.js';
import type { AdminClient } from './admin-client.js';

/** A link that works once. */
export interface SessionLink {
  readonly url: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** How long `treadle dev` waits for its link; milliseconds. */
const LINK_MS = 3_000;

/** A link to the page of a running engine. @throws {ADMIN_REFUSED} when the engine serves no page, or does not let its client in */
export function sessionLink(client: AdminClient, timeoutMs?: number): Promise<SessionLink> {
  return client.post<SessionLink>(['session', 'link'], {}, timeoutMs);
}

/** Opens a link where somebody sits before the screen of this machine. */
export function openLink({ url }: Pick<SessionLink, 'url'>): void {
  if (canOpen(process.env, process.stdout)) openInBrowser(url);
}

/** A link to the page of the engine that runs in this process; undefined where it serves none. */
export async function ownLink(config: string | undefined, url: string): Promise<string | undefined> {
  const { findAdmin } = await import('./find-admin.js');
  const { AdminClient: Client } = await import('./admin-client.js');
  try {
    const { token } = await findAdmin({ config, url });
    return (await sessionLink(new Client({ url, token }), LINK_MS)).url;
  } catch {
    // The page is off, or the engine has just ended: there is nothing to open.
    return undefined;
  }
}
