import { expect } from 'chai';
import type { Page } from 'playwright-core';

const MOST = 60;

/** Presses Tab until what is called so has the focus, as somebody does who has no mouse. `name`: the whole accessible name, or a part of it that is given as an expression. */
export async function tabTo(page: Page, name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < MOST; presses += 1) {
    await page.keyboard.press(key);
    const own = await focusedName(page);
    if (typeof name === 'string' ? own === name : name.test(own)) return;
    passed.push(own);
  }
  expect.fail(`${MOST} times ${key} at ${page.url()} did not reach ${String(name)}, but: ${passed.join(', ')}`);
}

/** As a screen reader says it; nothing where nothing has the focus. */
async function focusedName(page: Page): Promise<string> {
  // An editor has the focus within another element that has it.
  const focused = page.locator(':focus').last();
  if (await focused.count() === 0) return '';
  const [line = ''] = (await focused.ariaSnapshot({ depth: 1 })).split('\n');
  // An editor has none of what it holds.
  return /^- [\w'"]+ "((?:[^"\\]|\\.)*)"/.exec(line)?.[1]?.replaceAll('\\"', '"') ?? await focused.getAttribute('aria-label') ?? line;
}
