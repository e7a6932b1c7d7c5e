import type { Command } from '../keys/commands.js';
import { toast } from './toasts.js';

/** Puts a text on the clipboard, and says whether the browser let it. */
export function copyText(text: string, said = 'Copied'): void {
  void navigator.clipboard.writeText(text).then(() => toast(said), () => toast('The browser let nothing be copied', 'bad'));
}

/** A command of the menu that `y` opens: copies `what`. */
export function copying(what: string, text: () => string): Command {
  return { title: `Copy ${what}`, copies: true, run: () => copyText(text()) };
}

/** For issues and chats: a name that leads to a path of the page. */
export function markdownLink(name: string, path: string): string {
  return `[${name.replaceAll(/[[\]\\]/g, '\\$&')}](${new URL(path, location.href).href})`;
}
