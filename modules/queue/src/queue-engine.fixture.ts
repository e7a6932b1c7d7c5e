import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AdminError, type AdminRequest, QueuePort, StatePort } from '@treadle/api';
import { BUILTIN_PLUGINS } from '@treadle/engine';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import { adminRoute, routesPlugin } from './admin-routes.fixture.js';

/** A dead letter as operators see it. */
export interface ShownLetter {
  readonly step: string;
  readonly reason: string;
  readonly data: unknown;
  readonly attempts: number;
  readonly deaths: number;
}

/** An application on disk and the engines that run it one after the other, on the embedded store. */
export class QueueApplication {
  readonly root = mkdtempSync(join(tmpdir(), 'treadle-queue-e2e-'));
  engine: TestComposition | undefined;

  constructor(steps: Readonly<Record<string, string>>) {
    mkdirSync(join(this.root, 'steps'));
    for (const [name, text] of Object.entries(steps)) this.write(name, text);
  }

  write(name: string, text: string): void {
    this.writeFile(`${name}.step.ts`, text);
  }

  writeFile(name: string, text: string): void {
    writeFileSync(join(this.root, 'steps', name), text);
  }

  /** `config`: further settings of the queue module, as YAML's flow form without braces. */
  async start({ config = '', workers = 1 } = {}): Promise<void> {
    const store = `{ file_path: ${JSON.stringify(join(this.root, 'treadle.db'))} }`;
    const adapter = (block: string): string => `{ class: modules::${block}::adapters::Sqlite, config: ${store} }`;
    this.engine = await createTestComposition({ root: this.root, builtins: [...BUILTIN_PLUGINS, routesPlugin()], yaml: `
engine: { drain_timeout_ms: 2000 }
modules:
  - class: testing::admin::RoutesModule
  - class: modules::queue::QueueModule
    config: { adapter: ${adapter('queue')}${config === '' ? '' : `, ${config}`} }
  - class: modules::state::StateModule
    config: { adapter: ${adapter('state')} }
  - class: modules::stream::StreamModule
    config: { adapter: ${adapter('stream')} }
  - class: modules::steps::StepsModule
    config: { runtimes: [{ class: modules::runtime::adapters::Node, config: { workers: ${workers} } }] }
` });
    await this.until(async () => (await fetch(`${this.engine?.url('http')}/health`)).status === 200, 'health');
  }

  async stop(): Promise<void> {
    await this.engine?.stop();
    this.engine = undefined;
  }

  async end(): Promise<void> {
    await this.stop();
    rmSync(this.root, { recursive: true, force: true });
  }

  get queue(): QueuePort {
    return this.engine?.engine.port(QueuePort) as QueuePort;
  }

  get state(): StatePort {
    return this.engine?.engine.port(StatePort) as StatePort;
  }

  /** Everything that the Steps noted in the state under a group, by key. */
  async notes(group: string): Promise<Readonly<Record<string, unknown>>> {
    const notes: Record<string, unknown> = {};
    for (let cursor: string | undefined; ;) {
      const page = await this.state.list(group, { limit: 1_000, ...(cursor !== undefined && { cursor }) });
      for (const { key, value } of page.items) notes[key] = value;
      if (page.cursor === undefined) return notes;
      cursor = page.cursor;
    }
  }

  /** Deliveries that were begun and are not over. */
  async active(): Promise<number> {
    const route = adminRoute(this.engine as TestComposition, 'GET', '/');
    const { items: subscriptions } = await route.handle({ params: {}, query: {}, body: undefined }) as { items: readonly { active: number }[] };
    return subscriptions.reduce((all, { active }) => all + active, 0);
  }

  /** All dead letters, newest first. */
  async letters(): Promise<readonly ShownLetter[]> {
    const route = adminRoute(this.engine as TestComposition, 'GET', '/dead-letters');
    return (await route.handle({ params: {}, query: {}, body: undefined }) as { items: ShownLetter[] }).items;
  }

  /** What a GET of operators is refused with. */
  async refusal(path: string, request: Partial<AdminRequest>): Promise<string> {
    const route = adminRoute(this.engine as TestComposition, 'GET', path);
    return route.handle({ params: {}, query: {}, body: undefined, ...request }).then(
      () => 'it was not refused', ({ status, code, message }: AdminError) => `${status} ${code}: ${message}`);
  }

  async until(holds: () => Promise<boolean>, what: string): Promise<void> {
    for (let tries = 0; tries < 1_200; tries++) {
      if (await holds()) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`in vain: ${what}`);
  }
}
