import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Context } from 'mocha';
import { type Browser, chromium, type Page } from 'playwright-core';
import { requireOrSkip } from '../support/requirement.js';

/** Where one may be. */
export const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** What axe calls serious and worse. */
const SERIOUS = new Set(['serious', 'critical']);

/** The browser of this machine; without one the tests are skipped, in CI they fail. `args`: further options of its command line. */
export async function requireBrowser(test: Context, args: readonly string[] = []): Promise<Browser> {
  requireOrSkip(test, BROWSERS.some((place) => existsSync(place)), 'no Chromium (apt-get install chromium)');
  return launchBrowser(args);
}

/** The browser of this machine, for programs. @throws Error where there is none */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  const executablePath = BROWSERS.find((place) => existsSync(place));
  if (executablePath === undefined) throw new Error('no Chromium (apt-get install chromium)');
  return chromium.launch({ executablePath, args: ['--no-sandbox', ...args] });
}

/** Rules whose findings differ from one theme to the other at the same width: themes are colours alone. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** Serious findings of axe on a page, a line each. The page's policy lets no script in by an element, so axe comes through the debugger. `shows`: selector of what has to be open meanwhile; `rules`: these alone. */
export async function accessibilityFaults(page: Page, shows = 'html', rules?: readonly string[]): Promise<readonly string[]> {
  if (!await page.evaluate("'axe' in globalThis")) await page.evaluate(AXE);
  await page.locator(shows).first().waitFor();
  const options = { resultTypes: ['violations'], ...rules && { runOnly: { type: 'rule', values: rules } } };
  const { violations } = await page.evaluate(`axe.run(${JSON.stringify(options)})`) as { readonly violations: readonly Violation[] };
  return violations.filter(({ impact }) => SERIOUS.has(impact)).map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 120)} (${failureSummary.split('\n').at(-1)?.trim() ?? ''})`).slice(0, 3).join(' | ')}`);
}

/** The same in both themes, at the present width. All rules are asked once, those of colours in both; the page is left dark. */
export async function faultsInBothThemes(page: Page, shows?: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
    found.push(...(await accessibilityFaults(page, shows, colorScheme === 'light' ? undefined : OF_COLOURS)).map((fault) => `${colorScheme}: ${fault}`));
  }
  return found;
}

/** What is found at three widths; each finding says where. */
export async function atAllWidths(page: Page, look: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const found: string[] = [];
  for (const width of [320, 768, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    found.push(...(await look()).map((fault) => `${width} px, ${fault}`));
  }
  return found;
}

/** Serious findings in both themes and at three widths, of what is open: nothing is loaded anew. */
export function faultsInAllLooks(page: Page, shows?: string): Promise<readonly string[]> {
  return atAllWidths(page, () => faultsInBothThemes(page, shows));
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}
