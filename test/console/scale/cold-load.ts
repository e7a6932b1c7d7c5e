import type { Page } from 'playwright-core';
import { IS_USABLE } from './page-moves.js';

/** What somebody waits for whose browser has nothing of the page; milliseconds since the navigation began. */
export interface ColdLoad {
  readonly paintMs: number;
  readonly usableMs: number;
}

/** Runs in the page from its beginning on: notes when its view is there. */
const INSTALL = `(() => {
  const look = () => (${IS_USABLE} ? window.usableMs = performance.now() : requestAnimationFrame(look));
  requestAnimationFrame(look);
})()`;
const MEASURED = `new Promise((resolve) => {
  const look = () => {
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    if (paint === undefined || window.usableMs === undefined) return void requestAnimationFrame(look);
    resolve({ paintMs: Math.round(paint.startTime), usableMs: Math.round(window.usableMs) });
  };
  look();
})`;

/** Opens Home of the page's console in a context of its own that has its session alone. */
export async function coldLoad(page: Page): Promise<ColdLoad> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('the page has no browser of its own');
  const context = await browser.newContext({ storageState: { cookies: await page.context().cookies(), origins: [] }, viewport: page.viewportSize() });
  try {
    const fresh = await context.newPage();
    await fresh.addInitScript(INSTALL);
    await fresh.goto(`${new URL(page.url()).origin}/`);
    return await fresh.evaluate(MEASURED) as ColdLoad;
  } finally {
    await context.close();
  }
}
