import { expect } from 'chai';
import { Browser, type BrowserPage, type HTMLButtonElement, type HTMLInputElement } from 'happy-dom';
import { CreatedProject } from '../support/created-project.js';
import { stopAllEngines } from '../support/engine-process.js';
import { tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

/** The page in a browser's stead: its own scripts run, its requests and its WebSocket are real. */
class Page {
  private constructor(private readonly page: BrowserPage) {}

  static async open(browser: Browser, url: string): Promise<Page> {
    const page = browser.newPage();
    await page.goto(url);
    const opened = new Page(page);
    await opened.shows('a live list', () => opened.text('#status') === 'live');
    return opened;
  }

  async shows(what: string, holds: () => boolean): Promise<void> {
    await waitUntil(`${what} on the page`, holds);
  }

  text(selector: string): string {
    return this.page.mainFrame.document.querySelector(selector)?.textContent.trim() ?? '';
  }

  /** Descriptions and whether they are done. */
  tasks(): readonly (readonly [string, boolean])[] {
    return this.elements<HTMLInputElement>('#tasks input').map((box) => [box.parentElement?.textContent.trim() ?? '', box.checked]);
  }

  elements<E>(selector: string): E[] {
    return [...this.page.mainFrame.document.querySelectorAll(selector)] as unknown as E[];
  }

  click(selector: string, index = 0): void {
    this.elements<HTMLButtonElement>(selector)[index]?.click();
  }

  /** Types a description, however long, and sends the form. */
  add(description: string): void {
    const [input] = this.elements<HTMLInputElement>('form input');
    input?.removeAttribute('maxlength');
    if (input) input.value = description;
    this.click('form button');
  }
}

describe('the page of a full-stack project', function () {
  this.timeout(120_000);
  let browser: Browser;
  let here: Page;
  let there: Page;

  before(async () => {
    const project = await CreatedProject.make(tempFolder(), 'my-app', ['--language', 'js', '--template', 'full-stack']);
    const engine = project.dev();
    const url = await engine.ready();
    browser = new Browser({ settings: {
      enableJavaScriptEvaluation: true, suppressInsecureJavaScriptEnvironmentWarning: true,
      disableCSSFileLoading: true, handleDisabledFileLoadingAsSuccess: true,
    } });
    here = await Page.open(browser, `${url}/`);
    there = await Page.open(browser, `${url}/`);
  });
  after(async () => {
    await browser?.close();
    await stopAllEngines();
  });

  it('shows what is added on another one, as text', async () => {
    here.add('Buy <b>milk</b>');
    for (const page of [here, there]) await page.shows('the task', () => page.tasks().length === 1);
    expect(there.tasks()).to.deep.equal([['Buy <b>milk</b>', false]]);
    await here.shows('an empty field', () => here.elements<HTMLInputElement>('form input')[0]?.value === '');
  });

  it('shows what is completed and deleted on another one', async () => {
    there.add('Write tests');
    await here.shows('both tasks', () => here.tasks().length === 2);
    here.click('#tasks input', 1);
    await there.shows('the tick', () => there.tasks()[1]?.[1] === true);
    there.click('#tasks button', 0);
    await here.shows('what is left', () => here.tasks().length === 1);
    expect(here.tasks()).to.deep.equal([['Write tests', true]]);
  });

  it('says why something is refused, until something else succeeds', async () => {
    here.add('x'.repeat(201));
    await here.shows('the reason', () => here.text('#problem') !== '');
    expect(here.tasks()).to.have.length(1);
    here.add('short');
    await here.shows('no reason any more', () => here.text('#problem') === '' && here.tasks().length === 2);
  });
});
