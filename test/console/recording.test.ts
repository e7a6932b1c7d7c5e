import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { stopAllEngines } from '../support/engine-process.js';
import { accessibilityFaults } from './browser.js';
import { tickets, TicketsPage } from './tickets-page.js';

interface Listed {
  readonly total: number;
}

/** Engines that record a part, or nothing, and what each view says of it. */
const ENGINES: Readonly<Record<string, { readonly config: string; readonly traces: RegExp; readonly logs?: RegExp }>> = {
  'a part of the traces and of the log': { config: 'sampling_ratio: 0.5\n      logs_sampling_ratio: 0.5', traces: /about 50 % of the traces are recorded \(sampling_ratio: 0\.5\)/, logs: /about 50 % of the log records are kept \(logs_sampling_ratio: 0\.5\)/ },
  'no trace': { config: 'sampling_ratio: 0', traces: /no trace is recorded \(sampling_ratio: 0\)/ },
  nothing: { config: 'enabled: false', traces: /enabled: false/, logs: /enabled: false/ },
};

for (const [what, { config, traces, logs }] of Object.entries(ENGINES)) {
  describe(`the console's page over an engine that records ${what}`, function () {
    this.timeout(120_000);
    let shown: TicketsPage;
    let page: Page;
    /** Traces that answers named, long before they are asked for. */
    const sent: string[] = [];

    before(async function () {
      ({ page } = shown = await TicketsPage.open(this, () => recording(config)));
      await shown.signIn();
      for (let at = 0; at < 24; at += 1) sent.push(await send());
    });
    afterEach(function () {
      return shown.check(this.currentTest);
    });
    after(async () => {
      await shown?.close();
      await stopAllEngines();
    });

    const main = (): Locator => page.getByRole('main');
    const note = (text: RegExp): Promise<void> => main().getByRole('note').filter({ hasText: text }).first().waitFor();
    /** The trace that the answer names. */
    const send = async (): Promise<string> => {
      const body = JSON.stringify({ title: 'Lamp is dark', priority: 'normal', customer: { id: 'c-1', email: 'c@example.com' } });
      return (await fetch(`${await shown.engine.address('http')}/tickets`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).headers.get('x-trace-id') ?? '';
    };
    const isKept = async (traceId: string): Promise<boolean> => shown.admin.call('GET', `/traces/${traceId}`).then(() => true, () => false);

    it('says so in Traces, beside what there is', async () => {
      await shown.goto('/traces');
      await note(traces);
      const { total } = await shown.admin.call<Listed>('GET', '/traces?q=route:/tickets');
      if (config.includes('0.5')) expect(total).to.be.within(1, 23);
      else expect(total).to.equal(0);
      await (total > 0 ? main().getByRole('link', { name: /POST \/tickets/ }).first() : main().getByRole('heading', { name: 'Nothing recorded yet' })).waitFor();
      expect(await accessibilityFaults(page)).to.deep.equal([]);
    });

    it('says so in Logs, and nothing where all is kept', async () => {
      await shown.goto('/logs');
      if (logs) await note(logs);
      else expect(await main().getByRole('note').allTextContents()).to.deep.equal([]);
      expect(await accessibilityFaults(page)).to.deep.equal([]);
    });

    it('says of a trace that is not kept that it may not have been recorded, not that there never was one', async () => {
      const kept = await Promise.all(sent.map((traceId) => isKept(traceId)));
      const missing = sent.find((traceId, at) => traceId !== '' && kept[at] === false);
      expect(kept).to.include(false);
      await shown.goto(`/traces/${missing ?? '0af7651916cd43dd8448eb211c80319c'}`);
      const failed = main().getByRole('alert').filter({ hasText: 'Could not load the trace' });
      await failed.getByText(/was not recorded|no trace is recorded|telemetry is off/).first().waitFor();
      expect(await accessibilityFaults(page)).to.deep.equal([]);
    });
  });
}

/** The sample with an observability that is told what to keep. */
function recording(config: string): string {
  const folder = tickets();
  const file = join(folder, 'config.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('modules:\n', `modules:\n  - class: modules::observability::OtelModule\n    config:\n      ${config}\n`));
  return folder;
}
