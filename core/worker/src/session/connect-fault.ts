const CHECK = "check ENGINE_URL: the engine's port for Step processes is 3110 unless its configuration says another";

/** What is said of a connection that came to nothing before the engine's greeting: where something else answers, what that is and what to do. */
export function connectFault(url: string, message: string): string {
  const { host, protocol } = new URL(url);
  const status = Number(/^Unexpected server response: (\d{3})$/.exec(message)?.[1] ?? 0);
  if (status >= 500) return `${host} answers with HTTP ${status}; the engine behind it may be away`;
  if (status > 0) return `${host} answers with HTTP ${status} and is no channel of Step processes; ${CHECK}`;
  if (protocol === 'wss:' && /EPROTO|wrong version number/i.test(message)) return `${host} speaks no TLS; write ws:// into ENGINE_URL, or the address of a proxy that has TLS`;
  return message;
}

/** What is said of a peer that answers as no engine does. */
export function strangePeer(url: string): string {
  return `${new URL(url).host} does not answer as an engine does; ${CHECK}`;
}
