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

/** Serious findings of axe on a page, a line each. The page's policy lets no script in by an element, so axe comes through the debugger. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { readonly axe: { run(options: unknown): Promise<{ readonly violations: readonly Violation[] }> } }).axe.run({ resultTypes: ['violations'] }));
  return violations.filter(({ impact }) => SERIOUS.has(impact)).map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 120)} (${failureSummary.split('\n').at(-1)?.trim() ?? ''})`).slice(0, 3).join(' | ')}`);
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}
