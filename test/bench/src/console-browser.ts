import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { BROWSERS } from '../../console/browser.js';
import type { Received, ViewName } from './console-page.js';
import { cpuMicroseconds, descendantsOf } from './process-usage.js';

const LIVE = /\/api\/v1\/live$/;

/** Chromium with a page of the console for each view. */
export interface BrowserPages {
  open(base: string, token: string, views: readonly ViewName[]): Promise<{ readonly used: () => number; readonly close: () => Promise<Received> }>;
  close(): Promise<void>;
}

/** @throws when this machine has no Chromium */
export async function browserPages(): Promise<BrowserPages> {
  const executablePath = BROWSERS.find((place) => existsSync(place));
  if (executablePath === undefined) throw new Error('no Chromium (apt-get install chromium)');
  const others = new Set(descendantsOf(process.pid));
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const own = descendantsOf(process.pid).filter((pid) => !others.has(pid));
  return {
    close: () => browser.close(),
    open: async (base, token, views) => {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      const received = { messages: 0, bytes: 0, answers: 0 };
      const link = await fetch(`${base}/api/v1/session/link`, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-console': '1' }, body: '{}' });
      const { url } = await link.json() as { readonly url: string };
      await (await context.newPage()).goto(url);
      for (const view of views) {
        const page = await context.newPage();
        const live = new Promise<void>((resolve) => page.on('websocket', (socket) => {
          if (!LIVE.test(socket.url())) return;
          socket.on('framereceived', ({ payload }) => {
            received.messages += 1;
            received.bytes += payload.length;
            resolve();
          });
        }));
        page.on('response', (response) => void (response.url().includes('/api/v1/') && (received.answers += 1)));
        await page.goto(new URL(view === 'home' ? '/' : view === 'state' ? '/state/orders' : `/${view}`, url).href);
        await live;
      }
      Object.assign(received, { messages: 0, bytes: 0, answers: 0 });
      const pids = new Set([...own, ...own.flatMap(descendantsOf)]);
      return {
        used: () => [...pids].reduce((sum, pid) => sum + (cpuMicroseconds(pid) || 0), 0),
        close: async () => {
          await context.close();
          return received;
        },
      };
    },
  };
}
