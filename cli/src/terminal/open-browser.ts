import { spawn } from 'node:child_process';

/** Programs that open an address, by platform. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>>> = {
  darwin: ['open'], win32: ['rundll32', 'url.dll,FileProtocolHandler'], linux: ['xdg-open'],
};

/** Whether somebody sits before this machine's own screen. */
export function canOpen(env: NodeJS.ProcessEnv, stdout: { readonly isTTY?: boolean }, platform: NodeJS.Platform = process.platform): boolean {
  if (stdout.isTTY !== true || env['CI'] || env['SSH_CONNECTION'] || env['SSH_TTY']) return false;
  return platform !== 'linux' || Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY']);
}

/** Opens an address and waits for nothing; a machine without a browser does without. */
export function openInBrowser(url: string): void {
  const [program, ...args] = OPENERS[process.platform] ?? [];
  if (program === undefined) return;
  spawn(program, [...args, url], { detached: true, stdio: 'ignore' }).on('error', () => undefined).unref();
}
