import type { Page } from 'playwright-core';

/** As a link of the page does. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`);
}

/** Elements of the document. */
export function elementsOf(page: Page): Promise<number> {
  return page.evaluate('document.querySelectorAll("*").length') as Promise<number>;
}

/** In the page: a view is there with what it asked for. */
export const IS_USABLE = "document.querySelector('main :is(h1, h2, h3)')?.checkVisibility() === true && document.querySelector('[role=status][aria-label^=Loading]') === null";

/** Looks with every frame: a locator would look every half second after a while, which would count as time of the page. */
export async function untilThere(page: Page, isThere: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const look = () => (${isThere} ? resolve() : requestAnimationFrame(look));
    look();
  })`);
}
