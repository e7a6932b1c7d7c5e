import { createConnection } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { installLinePlugin } from '../support/packed-plugin.js';
import { testConfig } from '../support/sample-steps.js';
import { tempFolder, writeFiles } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { accessibilityFaults, atAllWidths, faultsInAllLooks } from './browser.js';
import { checkedAndClosed, TicketsPage } from './tickets-page.js';

const STEP = `export const config = { name: 'TakesOrders', triggers: [{ type: 'acme.line', word: 'order' }] };
export const handler = async () => undefined;
`;
const BROKEN = (view: string): string => `export default { mount: async (root, context) => {
  const show = (text) => root.append(Object.assign(document.createElement('p'), { textContent: text }));
  ${view}
} };\n`;
/** Views that fail in each way in which code can, and one that looks for secrets. */
const VIEWS = {
  throws: BROKEN("throw new Error('thrown while it is drawn');"),
  later: BROKEN("show('drawn so far'); setTimeout(() => { throw new Error('thrown later'); }, 50);"),
  rejects: BROKEN("show('drawn so far'); setTimeout(async () => { throw new Error('rejected later'); }, 50);"),
  nothing: 'export const view = 1;\n',
  inline: BROKEN("const style = document.createElement('style'); style.textContent = 'b { color: rgb(1, 2, 3) }'; const text = document.createElement('b'); text.textContent = 'text'; root.append(style, text);"),
  outside: BROKEN("await import('https://example.com/x.js');"),
  follows: `let mounts = 0;
export default { mount(root, context) {
  mounts += 1;
  const shown = document.createElement('p');
  const next = Object.assign(document.createElement('button'), { textContent: 'Next row' });
  const draw = ({ search }) => { shown.textContent = 'row ' + (search.get('row') ?? 'none') + ', mounted ' + mounts; };
  next.addEventListener('click', () => context.setSearch({ row: String(Number(new URLSearchParams(location.search).get('row') ?? 0) + 1) }));
  root.append(shown, next);
  draw(context);
  return { update: draw };
} };\n`,
  secrets: BROKEN("show(JSON.stringify({ cookie: document.cookie, kept: Object.keys(localStorage).filter((name) => /token|session|secret/.test(name)), context: Object.keys(context).sort() }));"),
};
const MODULE = `import { Module } from '@treadle/api';
class OddModule {}
Module({ id: 'acme::odd::OddModule', summary: 'Has views that fail', stability: 'development', since: '0.1.0', config: { type: 'object', additionalProperties: false } })(OddModule);
export default { $type: 'treadle/Plugin', format: 1, name: 'acme-odd', version: '0.1.0', api: '*', modules: [OddModule], adapters: [] };
`;

/** A computed style of an element. */
function styleOf(of: Locator, name: string): Promise<string> {
  return of.evaluate((element, wanted) => (globalThis as unknown as { getComputedStyle(of: unknown): Readonly<Record<string, string>> }).getComputedStyle(element)[wanted] ?? '', name);
}

describe('views of plugins in the console', function () {
  this.timeout(120_000);
  let shown: TicketsPage;
  let page: Page;

  before(async function () {
    shown = await TicketsPage.open(this, application);
    ({ page } = shown);
    await shown.signIn();
  });
  checkedAndClosed(() => shown);

  const say = async (text: string): Promise<string> => {
    const { port } = new URL(await shown.engine.address('line'));
    return new Promise((resolve, reject) => {
      const socket = createConnection(Number(port), '127.0.0.1', () => socket.write(`${text}\n`));
      socket.once('data', (data) => resolve(String(data).trim())).once('data', () => socket.end()).once('error', reject);
    });
  };
  const view = (name: string): Promise<void> => shown.goto(`/x/odd/${name}`);

  it('draws a declared view: empty, with figures and rows as they come, by the address', async () => {
    await page.getByRole('link', { name: 'Lines', exact: true }).click();
    await page.getByText('Nothing is there yet').waitFor();
    expect(await say('order two teas')).to.equal('1');
    await page.getByRole('option', { name: /order two teas/ }).waitFor();
    expect(await say('nonsense')).to.equal('0');
    await page.getByRole('option', { name: /nonsense/ }).getByText('refused').waitFor();
    expect(await page.locator('dt', { hasText: 'Lines received' }).locator('+ dd').textContent()).to.equal('2');
    expect(await page.title()).to.match(/^Lines · /);
    await page.getByRole('searchbox', { name: 'Find in Lines' }).fill('TEAS');
    await page.getByText('1 of 2').waitFor();
    await page.reload();
    await page.getByText('1 of 2').waitFor();
    expect(await faultsInAllLooks(page)).to.deep.equal([]);
  });

  it('opens a row, goes to its trace and acts on it after a question', async () => {
    await shown.goto('/x/line/lines');
    await page.getByRole('option', { name: /order two teas/ }).click();
    await page.getByRole('complementary', { name: 'Inspector' }).getByText('"order two teas"').waitFor();
    await page.getByRole('button', { name: 'Deliver again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Deliver again' }).click();
    await page.getByText('Deliver again: done').waitFor();
    await page.getByText('3 of 3').waitFor();
    await page.getByRole('complementary', { name: 'Inspector' }).locator('[data-ref=trace]').click();
    await page.waitForURL(/\/traces\/[0-9a-f]{32}$/);
  });

  it('shows the row that is chosen: by click, by key, over a reload and by its address', async () => {
    await shown.goto('/x/line/lines');
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    const chosen = async (text: string): Promise<void> => {
      await inspector.getByText(`"${text}"`).waitFor();
      expect(await inspector.count()).to.equal(1);
    };
    const options = page.getByRole('option');
    const texts = await options.allTextContents();
    const [teas, nonsense] = [texts.findIndex((text) => text.includes('order two teas')), texts.findIndex((text) => text.includes('nonsense'))];
    await options.nth(nonsense).click();
    await chosen('nonsense');
    const first = new URL(page.url()).searchParams.get('row');
    await inspector.getByRole('button', { name: 'Deliver again' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await options.nth(teas).click();
    await chosen('order two teas');
    expect(await inspector.getByText('"nonsense"').count()).to.equal(0);
    expect(new URL(page.url()).searchParams.get('row')).not.to.equal(first);
    await page.reload();
    await chosen('order two teas');
    const second = new URL(page.url()).searchParams.get('row');
    await page.keyboard.press(nonsense > teas ? 'j' : 'k');
    await page.waitForURL((url) => ![null, second].includes(url.searchParams.get('row')));
    await inspector.getByRole('heading', { name: new URL(page.url()).searchParams.get('row') ?? '' }).waitFor();
    await page.keyboard.press('Escape');
    await inspector.waitFor({ state: 'detached' });
    await page.goto(`${shown.base}/x/line/lines?row=${first ?? ''}`);
    await chosen('nonsense');
    await page.goto(`${shown.base}/x/line/lines?row=gone`);
    await inspector.getByText('gone').first().waitFor();
  });

  it('tells a view with code which row is chosen, without drawing it anew, and again after a reload', async () => {
    await view('follows?row=7');
    await page.getByText('row 7, mounted 1').waitFor();
    await page.getByRole('button', { name: 'Next row' }).click();
    await page.getByText('row 8, mounted 1').waitFor();
    expect(new URL(page.url()).searchParams.get('row')).to.equal('8');
    await page.goBack();
    await page.getByText('row 7, mounted 1').waitFor();
    await page.goForward();
    await page.reload();
    await page.getByText('row 8, mounted 1').waitFor();
  });

  it('draws a view with code in a shadow root, with its files, theme and events', async () => {
    await shown.goto('/x/line/meter');
    await page.getByRole('listitem').filter({ hasText: 'order: 2' }).waitFor();
    const bar = page.getByRole('listitem').filter({ hasText: 'order: 2' });
    const host = bar.locator('xpath=ancestor::*[last()]');
    expect(await host.evaluate((element) => 'host' in (element as unknown as { getRootNode(): object }).getRootNode())).to.equal(true);
    // A browser draws the view before it has its stylesheet.
    await waitUntil("the style of the view's file", async () => await styleOf(bar, 'paddingLeft') === '8px');
    await say('order one more');
    await page.getByRole('listitem').filter({ hasText: 'order: 3' }).waitFor();
    await page.getByRole('button', { name: 'Use the light theme' }).click();
    await page.getByText('Drawn for the light theme').waitFor();
    expect(shown.faults).to.deep.equal([]);
    expect(await atAllWidths(page, () => accessibilityFaults(page))).to.deep.equal([]);
    // Of axe itself, which copies the styles of shadow roots to read them.
    expect(shown.faults.splice(0).filter((fault) => !fault.startsWith('Applying inline style'))).to.deep.equal([]);
  });

  for (const [name, message] of [['throws', 'thrown while it is drawn'], ['nothing', 'its file exports no view by default']] as const) {
    it(`says that a view is broken that ${name === 'throws' ? 'throws' : 'is none'}, and goes on`, async () => {
      await view(name);
      await page.getByRole('heading', { name: `Odd ${name} broke` }).waitFor();
      await page.getByText(message).first().waitFor();
      await page.getByRole('link', { name: 'Line meter' }).click();
      await page.getByText('lines by their first word').waitFor();
    });
  }

  for (const [name, message] of [['later', 'thrown later'], ['rejects', 'rejected later']] as const) {
    it(`says that a view is broken whose code ${name === 'later' ? 'throws' : 'rejects'} after it was drawn`, async () => {
      await view(name);
      await page.getByRole('heading', { name: `Odd ${name} broke` }).waitFor();
      await page.getByText(message).first().waitFor();
      expect(await page.getByText('drawn so far').count()).to.equal(1);
      expect(await page.getByText('drawn so far').isVisible()).to.equal(false);
      expect(shown.faults.splice(0).every((fault) => fault.includes(message))).to.equal(true);
    });
  }

  it('keeps the policy of the page: no inline style, no code of others', async () => {
    await view('inline');
    await page.getByText('text', { exact: true }).waitFor();
    expect(await styleOf(page.getByText('text', { exact: true }), 'color')).not.to.equal('rgb(1, 2, 3)');
    await view('outside');
    await page.getByRole('heading', { name: 'Odd outside broke' }).waitFor();
    expect(shown.faults.splice(0).filter((fault) => !fault.includes('Content Security Policy'))).to.deep.equal([]);
  });

  it('has no way to the session: no script reads its cookie, and nothing else of it is in the page', async () => {
    await view('secrets');
    const text = await page.locator('main').getByText('"cookie"').textContent();
    expect(JSON.parse(text ?? '')).to.deep.equal({ cookie: '', kept: [], context: ['call', 'navigate', 'path', 'role', 'search', 'setSearch', 'signal', 'subscribe', 'theme', 'toast', 'zone'] });
  });

  it('gives the files of views to those who may use the API alone, and none besides', async () => {
    const { items } = await shown.admin.call<{ readonly items: readonly { readonly id: string; readonly entry?: string }[] }>('GET', '/plugin-views');
    const entry = items.find(({ id }) => id === 'meter')?.entry ?? '';
    const folder = entry.slice(0, entry.lastIndexOf('/'));
    const status = async (path: string): Promise<number> => (await page.request.get(shown.base + path)).status();
    expect(await status(entry)).to.equal(200);
    expect(await status(`${folder}/bars.js`)).to.equal(200);
    for (const path of [`${folder}/../index.js`, `${folder}/%2e%2e/console.json`, `${folder}/..%2findex.js`, '/x-assets/line/meter/0000000000000000/meter.js', '/x-assets/line/lines/x/index.js', '/x-assets/odd/package.json']) {
      expect(await status(path), path).to.equal(404);
    }
    expect((await fetch(shown.base + entry)).status).to.equal(401);
  });

  function application(): string {
    const cwd = tempFolder();
    writeFiles(cwd, {
      'package.json': '{ "name": "orders", "private": true, "type": "module" }\n', 'steps/takes-orders.step.js': STEP,
      'config.yaml': `plugins: [acme-treadle-line, ./odd]\n${testConfig({ engine: ['mode: development'] })}  - class: acme::line::LineModule\n    config: { port: 0 }\n  - class: acme::odd::OddModule\n  - class: modules::console::ConsoleModule\n  - class: modules::observability::OtelModule\n`,
      'odd/package.json': JSON.stringify({ name: 'acme-odd', version: '0.1.0', type: 'module', treadle: { api: '*', entry: './index.js', provides: ['acme::odd::OddModule'], console: './console.json' } }),
      'odd/index.js': MODULE,
      'odd/console.json': JSON.stringify({ apiVersion: 1, id: 'odd', views: Object.keys(VIEWS).map((id) => ({ id, title: `Odd ${id}`, module: 'acme::odd::OddModule', tier: 'module', entry: `./views/${id}.js` })) }),
      ...Object.fromEntries(Object.entries(VIEWS).map(([id, text]) => [join('odd/views', `${id}.js`), text])),
    });
    installLinePlugin(cwd);
    return cwd;
  }
});
